//! From tokens to [`Written`]. A statement that is wrong is reported and left out; those around it stay.

use proc_macro2::{Delimiter, Group, Ident, TokenStream, TokenTree};
use syn::parse::{Parse, ParseStream, Parser};
use syn::{Expr, Type};

use super::cut::{self, ArrowTokens, Cutter};
use super::model::{Arrow, Chain, Declared, Kind, Open, Stage, Written};
use crate::names::list;
use crate::report::Report;

/// The options that an arrow may have.
const OPTIONS: [&str; 2] = ["capacity", "initial"];

pub(crate) fn parse(input: TokenStream, report: &mut Report) -> Written {
    let tokens: Vec<TokenTree> = input.into_iter().collect();
    let mut parser = Reader { written: Written::default(), ends: "a `;`", report };
    for statement in cut::split(&tokens, ';').into_iter().filter(|statement| !statement.is_empty()) {
        let mut rest = statement;
        while !rest.is_empty() {
            rest = parser.statement(rest);
        }
    }
    parser.written
}

/// A piece parsed, and how many of its last tokens were left over.
fn prefix<T: Parse>(tokens: &[TokenTree]) -> syn::Result<(T, usize)> {
    let stream: TokenStream = tokens.iter().cloned().collect();
    let parser = |input: ParseStream<'_>| {
        let parsed: T = input.parse()?;
        let rest: TokenStream = input.parse()?;
        Ok((parsed, rest.into_iter().count()))
    };
    parser.parse2(stream)
}

fn stream(tokens: &[TokenTree]) -> TokenStream {
    tokens.iter().cloned().collect()
}

fn inside(group: &Group) -> Vec<TokenTree> {
    group.stream().into_iter().collect()
}

struct Reader<'r> {
    written: Written,
    /// What ends a chain here.
    ends: &'static str,
    report: &'r mut Report,
}

impl Reader<'_> {
    /// Parses one statement; what is left belongs to the next, whose `;` is missing.
    fn statement<'t>(&mut self, tokens: &'t [TokenTree]) -> &'t [TokenTree] {
        let first = cut::ident(tokens.first());
        let second = cut::ident(tokens.get(1));
        let followed_by = |c: char, at: usize| {
            cut::is(c)(tokens, at) && !cut::pair(tokens, at, c, c) && !cut::pair(tokens, at, c, '>')
        };
        match (first, second) {
            (Some(word), _) if word == "in" => self.open(true, tokens),
            (Some(word), Some(_)) if word == "out" && followed_by(':', 2) => self.open(false, tokens),
            (Some(word), _) if word == "let" => {
                self.report.at(word, "a node is declared without `let`: `name = node;`");
                self.statement(&tokens[1..])
            }
            (Some(name), _) if followed_by('=', 1) => {
                let (node, rest) = self.declared(name, &tokens[2..]);
                self.written.nodes.push(Declared { name: name.clone(), node });
                rest
            }
            _ => self.chain_statement(tokens),
        }
    }

    fn open<'t>(&mut self, inward: bool, tokens: &'t [TokenTree]) -> &'t [TokenTree] {
        let keyword = if inward { "in" } else { "out" };
        let (Some(name), true) = (cut::ident(tokens.get(1)), cut::is(':')(tokens, 2)) else {
            self.report.at(stream(tokens), format_args!("an open port is written `{keyword} name: Type;`"));
            return &[];
        };
        match prefix::<Type>(&tokens[3..]) {
            Ok((ty, left)) => {
                self.written.opens.push(Open { inward, name: name.clone(), ty });
                self.left_over(tokens, left)
            }
            Err(_) => {
                self.report.at(stream(tokens), format_args!("an open port is written `{keyword} name: Type;`"));
                &[]
            }
        }
    }

    fn declared<'t>(&mut self, name: &Ident, tokens: &'t [TokenTree]) -> (Option<Expr>, &'t [TokenTree]) {
        let mut cutter = Cutter::new(tokens);
        let node = cutter.until(cut::is_arrow);
        if node.is_empty() {
            self.report.at(name, format_args!("a declaration is written `{name} = node;`"));
            return (None, &[]);
        }
        match prefix::<Expr>(node) {
            Ok((expr, 0)) => {
                if self.check_closure(node).is_some() {
                    return (None, &[]);
                }
                if let Some(arrow) = cutter.arrow() {
                    self.written.chains.push(Chain { broken: true, ..Chain::default() });
                    self.report.at(
                        arrow.tokens,
                        "a declaration names one node: the arrows that lead to it and away from it are statements of \
                         their own",
                    );
                }
                (Some(expr), &[])
            }
            Ok((expr, left)) => {
                let begin = node.len() - left;
                (Some(expr), self.left_over(tokens, tokens.len() - begin))
            }
            Err(error) => {
                self.report.add(error);
                (None, &[])
            }
        }
    }

    /// The last tokens of a statement that is over before its tokens are.
    fn left_over<'t>(&mut self, tokens: &'t [TokenTree], left: usize) -> &'t [TokenTree] {
        let rest = &tokens[tokens.len() - left..];
        if let Some(first) = rest.first() {
            self.report.at(first, format_args!("expected {} or an arrow `->` before this", self.ends));
        }
        rest
    }

    fn chain_statement<'t>(&mut self, tokens: &'t [TokenTree]) -> &'t [TokenTree] {
        let (chain, left) = self.chain(tokens);
        if chain.arrows.is_empty() && !chain.broken {
            self.report.at(
                stream(tokens),
                "this stands alone: a chain has at least one arrow, `source -> sink`; a declaration is written \
                 `name = node;`",
            );
        }
        self.written.chains.push(chain);
        &tokens[tokens.len() - left..]
    }

    /// Parses a chain and says how many tokens are left over.
    fn chain(&mut self, tokens: &[TokenTree]) -> (Chain, usize) {
        let mut chain = Chain::default();
        let mut cutter = Cutter::new(tokens);
        let mut before: Option<ArrowTokens> = None;
        loop {
            let piece = cutter.until(cut::is_arrow);
            let end = cutter.at();
            let arrow = cutter.arrow();
            if piece.is_empty() {
                chain.broken = true;
                match (&before, &arrow) {
                    (Some(before), _) => self
                        .report
                        .at(&before.tokens, "this arrow leads nowhere: a node, a port or a block stands behind it"),
                    (None, Some(arrow)) => self
                        .report
                        .at(&arrow.tokens, "this arrow comes from nowhere: a node, a port or a block stands before it"),
                    (None, None) => {}
                }
            } else {
                match self.stage(piece) {
                    Ok((kind, 0)) => chain.stages.push(Stage { kind, tokens: stream(piece) }),
                    Ok((kind, left)) => {
                        chain.stages.push(Stage { kind, tokens: stream(&piece[..piece.len() - left]) });
                        chain.broken = true;
                        let left = tokens.len() - end + left;
                        self.left_over(tokens, left);
                        return (chain, left);
                    }
                    Err(Reported) => chain.broken = true,
                }
            }
            let Some(arrow) = arrow else { return (chain, 0) };
            chain.arrows.push(self.arrow(&arrow));
            before = Some(arrow);
        }
    }

    fn arrow(&mut self, arrow: &ArrowTokens) -> Arrow {
        if arrow.unfinished {
            self.report.at(&arrow.tokens, "an arrow with options is written `-[capacity: 8]->`");
        }
        let mut options: Vec<(Ident, Expr)> = Vec::new();
        let tokens = arrow.tokens.clone();
        let Some(group) = &arrow.options else { return Arrow { tokens, options } };
        let arrow = tokens;
        let tokens = inside(group);
        if tokens.is_empty() {
            self.report.at(group, format_args!("options of an arrow stand here; known: {}", list(OPTIONS)));
        }
        for option in cut::split(&tokens, ',') {
            let (Some(name), true) = (cut::ident(option.first()), cut::is(':')(option, 1)) else {
                self.report.at(stream(option), "an option of an arrow is written `name: value`");
                continue;
            };
            let written = name.to_string();
            if !OPTIONS.contains(&&*written) {
                self.report.at(name, format_args!("an arrow has no option `{written}`; known: {}", list(OPTIONS)));
            } else if options.iter().any(|(other, _)| other == name) {
                self.report.at(name, format_args!("this arrow has the option `{written}` twice"));
            } else {
                match syn::parse2::<Expr>(stream(&option[2..])) {
                    Ok(value) => options.push((name.clone(), value)),
                    Err(_) => self
                        .report
                        .at(stream(option), format_args!("an option of an arrow is written `{written}: value`")),
                }
            }
        }
        Arrow { tokens: arrow, options }
    }

    /// Parses what stands between two arrows and says how many tokens are left over.
    fn stage(&mut self, tokens: &[TokenTree]) -> Result<(Kind, usize), Reported> {
        if let [token] = tokens {
            if let Some(block) = cut::group(Some(token), Delimiter::Brace) {
                return self.block(block).map(|kind| (kind, 0));
            }
            if let Some(row) = cut::group(Some(token), Delimiter::Bracket) {
                return self.row(row).map(|kind| (kind, 0));
            }
        }
        if let [first @ TokenTree::Group(group), _, ..] = tokens
            && matches!(group.delimiter(), Delimiter::Brace | Delimiter::Bracket)
        {
            return self.stage(std::slice::from_ref(first)).map(|(kind, _)| (kind, tokens.len() - 1));
        }
        if let Some(kind) = simple_name(tokens) {
            return Ok((kind, 0));
        }
        self.check_arrow_like(tokens)?;
        self.check_closure(tokens).map_or(Ok(()), |()| Err(Reported))?;
        match prefix::<Expr>(tokens) {
            Ok((expr, left)) => {
                let name = simple_name(&tokens[..tokens.len() - left]);
                let kind = name
                    .unwrap_or_else(|| Kind::Node(Box::new(expr), [tokens.first().cloned(), tokens.get(1).cloned()]));
                Ok((kind, left))
            }
            Err(error) => {
                self.report.add(error);
                Err(Reported)
            }
        }
    }

    /// Signs that look like arrows.
    fn check_arrow_like(&mut self, tokens: &[TokenTree]) -> Result<(), Reported> {
        let mut cutter = Cutter::new(tokens);
        let like = |tokens: &[TokenTree], at: usize| {
            cut::pair(tokens, at, '=', '>')
                || cut::pair(tokens, at, '<', '-')
                || cut::pair(tokens, at, '|', '>')
                || (cut::is('-')(tokens, at) && cut::is('>')(tokens, at + 1))
        };
        let before = cutter.until(like).len();
        if cutter.done() {
            return Ok(());
        }
        let message = match cut::pair(tokens, before, '<', '-') {
            true => "arrows lead from left to right: `source -> sink`",
            false => "an arrow is written `->`",
        };
        self.report.at(stream(&tokens[before..before + 2]), message);
        Err(Reported)
    }

    /// A closure is no node; says so and returns `Some`.
    fn check_closure(&mut self, tokens: &[TokenTree]) -> Option<()> {
        let moved = cut::ident(tokens.first()).is_some_and(|word| word == "move" || word == "async");
        let begins = if moved { cut::is('|')(tokens, 1) } else { cut::is('|')(tokens, 0) };
        begins.then(|| {
            self.report.at(
                stream(tokens),
                "a closure is no node: write `map(|x| ..)`, `filter_map(|x| ..)` or `sink(|x| ..)` around it",
            );
        })
    }

    fn block(&mut self, block: &Group) -> Result<Kind, Reported> {
        let tokens = inside(block);
        if tokens.is_empty() {
            self.report.at(block, "this block is empty: its members stand in it, `{ a, b }`");
            return Err(Reported);
        }
        if let Some(semicolon) =
            tokens.iter().position(|token| matches!(token, TokenTree::Punct(p) if p.as_char() == ';'))
        {
            self.report.at(&tokens[semicolon], "the members of a block are separated by commas: `{ a, b }`");
            return Err(Reported);
        }
        let members = cut::split(&tokens, ',').into_iter().map(|member| self.member(block, member));
        let members: Vec<Chain> = members.collect();
        if members.len() > 12 {
            self.report.at(block, "a block has 12 members at most; `[node; N]` makes any number of one kind");
        }
        if members.iter().any(|member| member.broken) { Err(Reported) } else { Ok(Kind::Block(members)) }
    }

    fn member(&mut self, within: &Group, tokens: &[TokenTree]) -> Chain {
        let ends = std::mem::replace(&mut self.ends, "a `,`");
        let (chain, _) = self.chain(tokens);
        self.ends = ends;
        if tokens.is_empty() {
            self.report.at(within, "a member is missing here");
        }
        chain
    }

    fn row(&mut self, row: &Group) -> Result<Kind, Reported> {
        let tokens = inside(row);
        match cut::split(&tokens, ';')[..] {
            [node, count] => {
                let chain = self.member(row, node);
                let count = syn::parse2::<Expr>(stream(count)).map_err(|error| self.report.add(error));
                match count {
                    Ok(count) if !chain.broken => Ok(Kind::Row(Box::new(chain), Box::new(count))),
                    _ => Err(Reported),
                }
            }
            _ => {
                self.report
                    .at(row, "`[node; N]` makes `N` copies of a node; different nodes stand in a block, `{ a, b }`");
                Err(Reported)
            }
        }
    }
}

/// What is wrong was reported.
struct Reported;

/// A name or a port, where the tokens are just that.
fn simple_name(tokens: &[TokenTree]) -> Option<Kind> {
    match tokens {
        [TokenTree::Ident(name)] if name != "self" => Some(Kind::Name(name.clone())),
        [TokenTree::Ident(node), TokenTree::Punct(dot), TokenTree::Ident(port)]
            if dot.as_char() == '.' && node != "self" =>
        {
            Some(Kind::Port(node.clone(), port.clone()))
        }
        _ => None,
    }
}
