//! Cutting tokens into statements, stages and arrows, before the parser of expressions sees them.
//!
//! Rust's own grammar has no arrow in an expression outside of brackets, save in the generics of a turbofish
//! (`f::<fn(A) -> B>()`), whose angle brackets are therefore counted.

use proc_macro2::{Delimiter, Group, Ident, Punct, Spacing, TokenStream, TokenTree};

/// A position between tokens, with the depth of angle brackets there.
pub(crate) struct Cutter<'a> {
    tokens: &'a [TokenTree],
    at: usize,
    depth: usize,
    /// Where the current piece began: a `<` there opens a qualified path.
    start: usize,
}

/// An arrow: `->` or `-[..]->`.
#[derive(Clone)]
pub(crate) struct ArrowTokens {
    /// What is to be underlined.
    pub(crate) tokens: TokenStream,
    /// The brackets with the options.
    pub(crate) options: Option<Group>,
    /// `-[..]` has no `->` behind it.
    pub(crate) unfinished: bool,
}

fn punct(tokens: &[TokenTree], at: usize) -> Option<&Punct> {
    match tokens.get(at) {
        Some(TokenTree::Punct(punct)) => Some(punct),
        _ => None,
    }
}

/// Whether two puncts without a space between them stand at `at`.
pub(crate) fn pair(tokens: &[TokenTree], at: usize, first: char, second: char) -> bool {
    let is = |i, c| punct(tokens, i).filter(|p| p.as_char() == c);
    is(at, first).is_some_and(|p| p.spacing() == Spacing::Joint) && is(at + 1, second).is_some()
}

/// A group with this delimiter.
pub(crate) fn group(token: Option<&TokenTree>, delimiter: Delimiter) -> Option<&Group> {
    match token {
        Some(TokenTree::Group(group)) if group.delimiter() == delimiter => Some(group),
        _ => None,
    }
}

/// An identifier.
pub(crate) fn ident(token: Option<&TokenTree>) -> Option<&Ident> {
    match token {
        Some(TokenTree::Ident(ident)) => Some(ident),
        _ => None,
    }
}

impl<'a> Cutter<'a> {
    pub(crate) fn new(tokens: &'a [TokenTree]) -> Self {
        Self { tokens, at: 0, depth: 0, start: 0 }
    }

    pub(crate) fn at(&self) -> usize {
        self.at
    }

    pub(crate) fn done(&self) -> bool {
        self.at >= self.tokens.len()
    }

    /// The tokens up to the next place where `stop` holds outside of angle brackets.
    pub(crate) fn until(&mut self, stop: impl Fn(&[TokenTree], usize) -> bool) -> &'a [TokenTree] {
        self.start = self.at;
        self.depth = 0;
        while !self.done() && (self.depth > 0 || !stop(self.tokens, self.at)) {
            self.step();
        }
        &self.tokens[self.start..self.at]
    }

    fn step(&mut self) {
        let at = self.at;
        self.at += 1;
        let Some(punct) = punct(self.tokens, at) else { return };
        match punct.as_char() {
            '<' if self.depth > 0 || at == self.start || (at >= 2 && pair(self.tokens, at - 2, ':', ':')) => {
                self.depth += 1;
            }
            '>' if self.depth > 0
                && !(at > 0 && (pair(self.tokens, at - 1, '-', '>') || pair(self.tokens, at - 1, '=', '>'))) =>
            {
                self.depth -= 1;
            }
            _ => {}
        }
    }

    /// Takes this punct if it stands here.
    pub(crate) fn eat(&mut self, c: char) -> Option<&'a Punct> {
        let punct = punct(self.tokens, self.at).filter(|p| p.as_char() == c)?;
        self.at += 1;
        Some(punct)
    }

    /// Takes an arrow if one stands here.
    pub(crate) fn arrow(&mut self) -> Option<ArrowTokens> {
        let start = self.at;
        let options = if pair(self.tokens, self.at, '-', '>') {
            None
        } else {
            self.eat('-')?;
            let options = group(self.tokens.get(self.at), Delimiter::Bracket).cloned();
            self.at += 1;
            options
        };
        let unfinished = !pair(self.tokens, self.at, '-', '>');
        if !unfinished {
            self.at += 2;
        }
        let tokens = self.tokens[start..self.at].iter().cloned().collect();
        Some(ArrowTokens { tokens, options, unfinished })
    }
}

/// Whether an arrow begins here.
pub(crate) fn is_arrow(tokens: &[TokenTree], at: usize) -> bool {
    pair(tokens, at, '-', '>')
        || (punct(tokens, at).is_some_and(|p| p.as_char() == '-')
            && group(tokens.get(at + 1), Delimiter::Bracket).is_some())
}

/// Whether this punct stands here.
pub(crate) fn is(c: char) -> impl Fn(&[TokenTree], usize) -> bool {
    move |tokens, at| punct(tokens, at).is_some_and(|p| p.as_char() == c)
}

/// Splits at a punct outside of angle brackets; an empty last piece is dropped.
pub(crate) fn split(tokens: &[TokenTree], at: char) -> Vec<&[TokenTree]> {
    let mut cutter = Cutter::new(tokens);
    let mut pieces = Vec::new();
    while !cutter.done() {
        pieces.push(cutter.until(is(at)));
        cutter.eat(at);
    }
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tokens(code: &str) -> Vec<TokenTree> {
        code.parse::<TokenStream>().unwrap_or_else(|e| panic!("{code}: {e}")).into_iter().collect()
    }

    fn stages(code: &str) -> usize {
        let tokens = tokens(code);
        let mut cutter = Cutter::new(&tokens);
        let mut count = 0;
        loop {
            cutter.until(is_arrow);
            count += 1;
            if cutter.arrow().is_none() {
                return count;
            }
        }
    }

    #[test]
    fn arrows_cut_outside_of_brackets_only() {
        assert_eq!(stages("a -> b -[capacity: 3]-> c"), 3);
        assert_eq!(stages("map(|x| -> u8 { x }) -> b"), 2);
        assert_eq!(stages("f::<fn(A) -> B>() -> b"), 2);
        assert_eq!(stages("f::<Vec<Vec<u8>>>() -> b"), 2);
        assert_eq!(stages("<A as B<C>>::new() -> b"), 2);
        assert_eq!(stages("a(x - y) -> b"), 2);
    }

    #[test]
    fn commas_split_outside_of_brackets_only() {
        assert_eq!(split(&tokens("a, b(c, d), e::<F, G>(),"), ',').len(), 3);
        assert_eq!(split(&tokens("<A<B, C>>::d(), e"), ',').len(), 2);
    }
}
