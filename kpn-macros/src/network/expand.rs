//! The calls of the builder that a network stands for.

use proc_macro2::{Delimiter, Group, Ident, Span, TokenStream, TokenTree};
use quote::{format_ident, quote, quote_spanned};
use syn::Expr;

use super::check::{Known, Names};
use super::model::{Arrow, Chain, Kind, Stage, Written};
use crate::names::{self, ends, local, plain};
use crate::report::Report;

/// A stage whose nodes have been added.
struct Placed {
    what: What,
    ends: Ends,
}

enum What {
    /// The ports of a node are in this local.
    Node(Ident),
    /// A reference to one port of a node is in this local.
    Port(Ident),
    /// An open port is in this local.
    Open(Ident),
    /// The first and the last stage of each member.
    Block(Vec<(Placed, Placed)>),
    /// Locals with the inputs and the outputs of each node.
    Row(Ident, Ident),
}

/// Expands a network to a block. What is wrong is left out, and the errors stand in front.
pub(crate) fn expand(written: &Written, names: &Names, report: Report) -> TokenStream {
    let errors = report.into_tokens();
    let mut expander = Expander { names, code: TokenStream::new(), locals: 0 };
    let builder = local("builder");
    expander.declarations(written);
    for chain in &written.chains {
        if expander.sound(chain) {
            expander.chain(chain, false, false);
        }
    }
    let code = expander.code;
    let end = if written.opens.is_empty() { quote!(::kpn::__rt::Builder::build(#builder)) } else { composite(written) };
    quote! {{
        #errors
        #[allow(unused_mut)]
        let mut #builder = ::kpn::__rt::Builder::new();
        #code
        #end
    }}
}

/// The composite with its open ports, in a struct that no name of the user's can meet.
fn composite(written: &Written) -> TokenStream {
    let builder = local("builder");
    let names: Vec<&Ident> = written.opens.iter().map(|open| &open.name).collect();
    let types: Vec<Ident> = (0..names.len()).map(|i| format_ident!("T{i}")).collect();
    let end =
        |inward: bool| if inward { (local("InPort"), local("input")) } else { (local("OutPort"), local("output")) };
    let kinds = written.opens.iter().map(|open| end(open.inward).0);
    let outer = written.opens.iter().enumerate().map(|(i, open)| {
        let (open_port, side) = (local(&format!("open{i}")), end(open.inward).1);
        quote!(#open_port.#side)
    });
    let of = |inward: bool| {
        let ports = written.opens.iter().zip(&types).filter(move |(open, _)| open.inward == inward);
        ports.map(|(open, ty)| (&open.name, ty)).unzip::<_, _, Vec<_>, Vec<_>>()
    };
    let (in_names, in_types) = of(true);
    let (out_names, out_types) = of(false);
    quote! {{
        #[allow(unreachable_pub)]
        struct OpenPorts<#(#types),*> { #(pub #names: ::kpn::__rt::#kinds<#types>,)* }

        #[allow(clippy::unused_unit)]
        impl<#(#types),*> ::kpn::__rt::Ports for OpenPorts<#(#types),*> {
            type Ins = (#(::kpn::__rt::InPort<#in_types>,)*);
            type Outs = (#(::kpn::__rt::OutPort<#out_types>,)*);
            fn ins(&self) -> Self::Ins {
                (#(::kpn::__rt::InPort::again(&self.#in_names),)*)
            }
            fn outs(&self) -> Self::Outs {
                (#(::kpn::__rt::OutPort::again(&self.#out_names),)*)
            }
        }
        ::kpn::__rt::composite(#builder, OpenPorts { #(#names: #outer,)* })
    }}
}

/// A call of one of the runtime's functions, underlined from `first` to `last`, and so is the function's name: where
/// a call and its argument lie in one place, the compiler tells what is wrong with them once.
fn call(name: &str, args: TokenStream, (first, last): Ends) -> TokenStream {
    let name = Ident::new(name, last);
    let mut args = Group::new(Delimiter::Parenthesis, args);
    args.set_span(last);
    let begin = quote_spanned!(first=> ::kpn::__rt::);
    let args = TokenTree::Group(args);
    quote!(#begin #name #args)
}

/// Where a stage begins and ends.
type Ends = (Span, Span);

struct Expander<'a> {
    names: &'a Names,
    code: TokenStream,
    locals: usize,
}

impl Expander<'_> {
    fn local(&mut self, what: &str) -> Ident {
        self.locals += 1;
        local(&format!("{what}{}", self.locals))
    }

    fn declarations(&mut self, written: &Written) {
        let builder = local("builder");
        for (i, open) in written.opens.iter().enumerate() {
            let (port, ty, name) = (local(&format!("open{i}")), &open.ty, plain(&open.name));
            self.code.extend(quote!(let #port = ::kpn::__rt::open::<#ty>(&mut #builder, #name);));
        }
        for (i, node) in written.nodes.iter().enumerate() {
            let (ports, name) = (local(&format!("node{i}")), plain(&node.name));
            if let Some(expr) = &node.node {
                let expr = quote!(#expr);
                let add = call("add_named", quote!(&mut #builder, #expr, #name), ends(&expr));
                self.code.extend(quote!(let #ports = #add;));
            }
        }
    }

    /// Whether all that the chain names is there.
    fn sound(&self, chain: &Chain) -> bool {
        let sound = |stage: &Stage| match &stage.kind {
            Kind::Port(name, _) | Kind::Name(name) => self.names.get(name) != Some(Known::Broken),
            Kind::Node(..) | Kind::Row(..) => true,
            Kind::Block(members) => members.iter().all(|member| self.sound(member)),
        };
        !chain.broken && !chain.stages.is_empty() && chain.stages.iter().all(sound)
    }

    /// Adds a chain's nodes, then its arrows; returns both ends.
    fn chain(&mut self, chain: &Chain, fed: bool, read: bool) -> Option<(Placed, Placed)> {
        let last = chain.stages.len().checked_sub(1)?;
        let mut stages = Vec::new();
        for (i, stage) in chain.stages.iter().enumerate() {
            stages.push(self.place(stage, fed || i > 0, read || i < last)?);
        }
        for (pair, arrow) in stages.windows(2).zip(&chain.arrows) {
            if let [from, to] = pair {
                let outs = outs(from);
                self.feed(outs, to, arrow);
            }
        }
        let end = if last == 0 { None } else { stages.pop() };
        let begin = stages.swap_remove(0);
        let end = match end {
            Some(end) => end,
            None => begin.again(),
        };
        Some((begin, end))
    }

    fn place(&mut self, stage: &Stage, fed: bool, read: bool) -> Option<Placed> {
        let ends = ends(&stage.tokens);
        let what = match &stage.kind {
            Kind::Name(name) => match self.names.get(name) {
                Some(Known::Node(i)) => What::Node(local(&format!("node{i}"))),
                Some(Known::In(i) | Known::Out(i)) => What::Open(local(&format!("open{i}"))),
                Some(Known::Broken) => return None,
                None => self.add(&quote!(#name), ends),
            },
            Kind::Port(node, port) => match self.names.get(node)? {
                Known::Node(i) => self.port(&local(&format!("node{i}")), port),
                _ => return None,
            },
            Kind::Node(expr, _) => self.add(&quote!(#expr), ends),
            Kind::Block(members) => {
                What::Block(members.iter().filter_map(|member| self.chain(member, fed, read)).collect())
            }
            Kind::Row(node, count) => self.row(node, count, fed, read)?,
        };
        Some(Placed { what, ends })
    }

    fn add(&mut self, node: &TokenStream, ends: Ends) -> What {
        let builder = local("builder");
        let ports = self.local("ports");
        let add = call("add", quote!(&mut #builder, #node), ends);
        self.code.extend(quote!(let #ports = #add;));
        What::Node(ports)
    }

    fn port(&mut self, ports: &Ident, port: &Ident) -> What {
        let one = self.local("port");
        self.code.extend(quote!(let #one = &#ports.#port;));
        What::Port(one)
    }

    /// Makes the nodes of `[node; N]` in a loop, so that `?` works in what makes one.
    fn row(&mut self, node: &Chain, count: &Expr, fed: bool, read: bool) -> Option<What> {
        let (row, heads, tails) = (self.local("row"), self.local("heads"), self.local("tails"));
        let around = std::mem::take(&mut self.code);
        let (begin, end) = self.chain(node, fed, read)?;
        let ins = if fed { ins(&begin) } else { quote!(()) };
        let outs = if read { single(&end) } else { quote!(()) };
        let inside = std::mem::replace(&mut self.code, around);
        self.code.extend(quote! {
            let mut #row = ::kpn::__rt::Row::<_, _, { #count }>::new();
            while ::kpn::__rt::Row::is_open(&#row) {
                #inside
                ::kpn::__rt::Row::push(&mut #row, #ins, #outs);
            }
            let (#heads, #tails) = ::kpn::__rt::Row::close(#row);
        });
        Some(What::Row(heads, tails))
    }

    /// One arrow, or one to each member of a block.
    fn feed(&mut self, outs: TokenStream, to: &Placed, arrow: &Arrow) {
        let builder = local("builder");
        match &to.what {
            What::Node(_) | What::Port(..) | What::Open(_) => {
                let ins = ins(to);
                self.connect(&quote!(#outs, #ins), to.ends, arrow);
            }
            What::Block(members) => {
                let parts: Vec<Ident> = members.iter().map(|_| self.local("part")).collect();
                let units = members.iter().map(|_| quote!(()));
                let outs = call("same", outs, to.ends);
                let split = call("split", quote!(&mut #builder, [#(#units),*], #outs), to.ends);
                self.code.extend(quote!(let (#(#parts,)*) = #split;));
                for (part, (begin, _)) in parts.iter().zip(members) {
                    self.feed(quote!(#part), begin, arrow);
                }
            }
            What::Row(heads, _) => {
                let (part, head) = (self.local("part"), self.local("head"));
                let outs = call("same", outs, to.ends);
                let spread = call("spread", quote!(&mut #builder, &#heads, #outs), to.ends);
                let around = std::mem::take(&mut self.code);
                let ins = call("same", quote!(#head), to.ends);
                self.connect(&quote!(#part, #ins), to.ends, arrow);
                let inside = std::mem::replace(&mut self.code, around);
                self.code.extend(quote! {
                    let #part = #spread;
                    for (#part, #head) in ::core::iter::zip(#part, #heads) { #inside }
                });
            }
        }
    }

    fn connect(&mut self, outs_and_ins: &TokenStream, ends: Ends, arrow: &Arrow) {
        let builder = local("builder");
        let pairs = call("pair", outs_and_ins.clone(), ends);
        let connect = if arrow.initial().is_some() { "connect_one" } else { "connect" };
        let connect = call(connect, quote!(&mut #builder, #pairs), ends);
        let wire = arrow.options.iter().fold(connect, |wire, (name, value)| match name == "initial" {
            // By a function of its own, whose bounds are sentences.
            true => call("initial", quote!(#wire, #value), names::ends(value)),
            false => quote!(#wire.#name(#value)),
        });
        self.code.extend(quote!(#wire;));
    }
}

/// All inputs of a stage.
fn ins(placed: &Placed) -> TokenStream {
    let ends = placed.ends;
    match &placed.what {
        What::Node(ports) => call("ins", quote!(&#ports), ends),
        What::Port(port) => call("in_end", call("same", quote!(#port), ends), ends),
        What::Open(open) => call("leave", quote!(&#open), ends),
        // Blocks are fed member by member.
        What::Block(_) | What::Row(..) => quote!(()),
    }
}

/// All outputs of a stage.
fn outs(placed: &Placed) -> TokenStream {
    let ends = placed.ends;
    match &placed.what {
        What::Node(ports) => call("outs", quote!(&#ports), ends),
        What::Port(port) => call("out_end", call("same", quote!(#port), ends), ends),
        What::Open(open) => call("enter", quote!(&#open), ends),
        What::Block(members) => {
            let each = members.iter().map(|(_, end)| single(end));
            quote!((#(#each,)*))
        }
        What::Row(_, tails) => quote!(#tails),
    }
}

/// The one output of a block's member.
fn single(placed: &Placed) -> TokenStream {
    call("single", outs(placed), placed.ends)
}

impl Placed {
    /// The same stage as the other end of a chain of one.
    fn again(&self) -> Self {
        let what = match &self.what {
            What::Node(ports) => What::Node(ports.clone()),
            What::Port(port) => What::Port(port.clone()),
            What::Open(open) => What::Open(open.clone()),
            What::Block(members) => What::Block(members.iter().map(|(a, b)| (a.again(), b.again())).collect()),
            What::Row(heads, tails) => What::Row(heads.clone(), tails.clone()),
        };
        Self { what, ends: self.ends }
    }
}
