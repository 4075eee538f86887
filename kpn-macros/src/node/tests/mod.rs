mod process;
mod rates;

use proc_macro2::TokenStream;
use syn::Item;

use super::expand;

fn tokens(code: &str) -> TokenStream {
    code.parse().unwrap_or_else(|error| panic!("{code}: {error}"))
}

/// The items of an expansion.
fn items(options: &str, code: &str) -> Vec<Item> {
    let expanded = expand(tokens(options), tokens(code));
    syn::parse2::<syn::File>(expanded.clone()).unwrap_or_else(|error| panic!("{error}: {expanded}")).items
}

fn expanded(options: &str, code: &str) -> String {
    expand(tokens(options), tokens(code)).to_string()
}

/// The messages of an expansion.
#[track_caller]
fn fails(options: &str, code: &str, messages: &[&str]) {
    let text = expanded(options, code);
    syn::parse_str::<syn::File>(&text).unwrap_or_else(|error| panic!("{error}: {text}"));
    assert_eq!(text.matches("compile_error").count(), messages.len(), "{text}");
    for message in messages {
        assert!(text.contains(message), "{message} is not said: {text}");
    }
}

#[track_caller]
fn passes(options: &str, code: &str) -> String {
    items(options, code);
    let text = expanded(options, code);
    assert!(!text.contains("compile_error"), "{text}");
    text
}

/// The ports' struct as `name: type` of each field.
fn ports(options: &str, code: &str) -> Vec<String> {
    let ports = items(options, code).into_iter().find_map(|item| match item {
        Item::Struct(item) if item.ident.to_string().ends_with("Ports") => Some(item),
        _ => None,
    });
    let field = |field: &syn::Field| {
        let name = field.ident.as_ref().map(ToString::to_string).unwrap_or_default();
        let ty = &field.ty;
        format!("{name}: {}", quote::quote!(#ty)).replace(' ', "").replace("::kpn::__rt::", "").replace(':', ": ")
    };
    ports.map(|ports| ports.fields.iter().map(field).collect()).unwrap_or_default()
}

#[test]
fn ports_have_the_arguments_names() {
    assert_eq!(ports("", "fn gain(x: f32, #[param] k: f32) -> f32 { k * x }"), ["x: InPort<f32>", "out: OutPort<f32>"]);
    assert_eq!(
        ports("outputs(sum, diff)", "fn butterfly(a: f32, b: &f32) -> (f32, Option<f32>) { todo!() }"),
        ["a: InPort<f32>", "b: InPort<f32>", "sum: OutPort<f32>", "diff: OutPort<f32>"]
    );
    assert_eq!(
        ports("", "fn split(r#type: u8) -> (u8, Many<u8>) { todo!() }"),
        ["r#type: InPort<u8>", "out0: OutPort<u8>", "out1: OutPort<u8>"]
    );
    assert_eq!(
        ports("", "impl Mean { fn fire(&mut self, x: Self) -> f64 { 0.0 } }"),
        ["x: InPort<Mean>", "out: OutPort<f64>"]
    );
    assert_eq!(ports("", "fn sink(x: u8) -> Result<(), E> {}"), ["x: InPort<u8>"]);
}

#[test]
fn the_node_keeps_its_parameters() {
    let text = passes(
        "",
        "#[doc = \"F\"] #[allow(unused)] #[inline] #[cfg(unix)]
         pub fn f<'a, 'b, T: Clone + 'a, U>(x: &'a T, #[param] a: u8, #[param] b: &U, #[param] c: &[u8],
             #[param] d: &str, #[param] e: &Path, #[param] g: &'b u8) -> T where U: Fn(&T), T: 'b { todo!() }",
    );
    let text = text.replace(' ', "");
    assert!(text.contains("structf<'b,T:Clone,U>where"), "{text}");
    assert!(text.contains("a:u8,b:U,c:::std::vec::Vec<u8>,d:::std::string::String,"), "{text}");
    assert!(text.contains("e:<Pathas::std::borrow::ToOwned>::Owned,g:&'bu8"), "{text}");
    assert!(text.contains("pubfncall<'a>(&self,x:&'aT)->T"), "{text}");
    assert_eq!(text.matches("#[cfg(unix)]").count(), 8, "{text}");
}

#[test]
fn generics_follow_to_where_they_are_needed() {
    let text =
        passes("", "fn f<I, F, K>(x: I, #[param] f: F) -> Option<K> where I: Iterator<Item = u8>, F: Fn() -> K {}")
            .replace(' ', "");
    assert!(text.contains("FPorts<I,K>"), "{text}");
    assert!(text.contains("I:::kpn::__rt::Token"), "{text}");
    assert!(text.contains("K:::kpn::__rt::Token"), "{text}");
    assert!(!text.contains("F:::kpn::__rt::Token"), "{text}");
    let text = passes("", "fn f<T, I: Iterator<Item = T>>(x: I::Item) {}").replace(' ', "");
    assert!(text.contains("__types"), "{text}");
    let text = passes("", "impl<T> Keep<'_, T> { fn fire(&mut self, x: Self::Item) {} }").replace(' ', "");
    assert!(text.contains("<Keep<'__1,T>>::Item"), "{text}");
}

const NAMELESS: &str = "an argument needs a name";

#[test]
fn wrong_arguments_are_told() {
    fails("", "fn f(x: &str) {}", &["take a `String`"]);
    fails("", "fn f(x: &mut Vec<u8>) {}", &["take it by value, `mut x: Vec<u8>`"]);
    fails("", "fn f(x: &dyn Any) {}", &["take a `Box<dyn ..>`"]);
    fails("", "fn f(x: Vec<&u8>) {}", &["can't borrow"]);
    fails("", "fn f(x: Cow<'_, str>) {}", &["can't borrow"]);
    fails("", "fn f(x: impl Send) {}", &["write a generic"]);
    fails("", "fn f((a, b): (u8, u8), _: u8) {}", &[NAMELESS, NAMELESS]);
    fails("", "fn f(x: u8, #[cfg(unix)] y: u8) {}", &["put `#[cfg]` on the whole function"]);
    fails("", "fn f(x: u8, #[param] #[param] y: u8) {}", &["twice"]);
    fails("", "fn f(x: u8, #[param(2)] y: u8) {}", &["takes no options"]);
    fails("", "fn f(x: u8, #[param] y: &mut u8) {}", &["keep state in a struct"]);
    fails("", "fn f(x: u8, #[param] y: &dyn Fn()) {}", &["isn't kept"]);
    fails("", "fn f(x: u8, #[param] y: Vec<&u8>) {}", &["a lifetime in it needs a name"]);
    fails("", "fn f(x: u8, #[param] y: &impl Fn()) {}", &["write a generic"]);
    fails("", "fn f<'a>(x: &'a u8, #[param] y: &'a u8) {}", &["leave `'a` out here"]);
    passes("", "fn f(x: &'static str, y: fn(&u8) -> &u8, z: Box<dyn Fn(&u8) + Send>, mut w: (u8, u8)) {}");
}

#[test]
fn wrong_returns_are_told() {
    fails("", "fn f(x: u8) -> ! {}", &["can't return `!`"]);
    fails("", "fn f(x: u8) -> impl Send {}", &["write a generic"]);
    fails("", "fn f(x: u8) -> &u8 {}", &["can't borrow"]);
    fails("", "fn f(x: u8) -> Many<(u8, u8)> {}", &["`(Many<u8>, Many<u8>)`"]);
    fails("", "fn f(x: u8) -> Many<()> {}", &["`()` is no token"]);
    fails("", "fn f(x: u8) -> Option<()> {}", &["`()` is no token"]);
    fails("", "fn f(x: u8) -> ((), u8) {}", &["`()` is no token"]);
    fails("", "fn f(x: u8) -> Option<Option<u8>> {}", &["is not clear"]);
    fails("", "fn f(x: u8) -> Option<Result<u8, E>> {}", &["stands around everything"]);
    fails("", "fn f() -> (Option<u8>, Option<u8>) {}", &["`Option<(u8, u8)>`"]);
    fails("", "fn f() -> (u8, Option<u8>) {}", &["`Option<(u8, Option<u8>)>`"]);
    fails("", "fn f() {}", &["has no port"]);
    let many = ["u8"; 13].join(", ");
    fails("", &format!("fn f(x: u8) -> ({many}) {{}}"), &["has 13 outputs"]);
}

#[test]
fn wrong_signatures_are_told() {
    fails("", "const unsafe extern fn f(x: u8) {}", &["`const fn`", "`unsafe fn`", "`extern fn`"]);
    fails("", "unsafe extern \"C\" fn f(x: u8, ...) {}", &["`unsafe fn`", "`extern fn`", "can't be variadic"]);
    fails("", "fn f(&self, x: u8) {}", &["has no `self`"]);
}

#[test]
fn wrong_options_are_told() {
    fails(
        "output(a)",
        "fn f(x: u8) -> u8 { x }",
        &["`#[node]` has no option `output`; known: `outputs`, `consume`, `peek`, `produce`, `partial`, `nondet`"],
    );
    fails("outputs = a", "fn f(x: u8) -> u8 { x }", &["in parentheses"]);
    fails("outputs(a), outputs(b)", "fn f(x: u8) -> u8 { x }", &["named twice"]);
    fails("outputs(1)", "fn f(x: u8) -> u8 { x }", &["expected identifier"]);
    fails("outputs()", "fn f(x: u8) -> u8 { x }", &["0 outputs are named here, but the node has 1 output"]);
    fails("outputs(a)", "fn f(x: u8) {}", &["1 output is named here, but the node has no output"]);
    fails("outputs(x)", "fn f(x: u8) -> u8 { x }", &["both named `x`"]);
    fails("outputs(a, a)", "fn f(x: u8) -> (u8, u8) { x }", &["two outputs are named `a`"]);
}

#[test]
fn wrong_impls_are_told() {
    fails("", "impl A { fn fires(&mut self) {} }", &["needs a `fn fire"]);
    fails("", "impl Display for A { fn fire(&mut self) {} }", &["the `impl` of a trait"]);
    fails("", "unsafe impl A { fn fire(&mut self, x: u8) {} }", &["is not `unsafe`"]);
    fails("", "impl [u8] { fn fire(&mut self, x: u8) {} }", &["a struct or an enum of your own"]);
    fails("", "impl A { fn fire(self, x: u8) {} }", &["borrows it"]);
    fails("", "impl A { fn fire(x: u8) {} }", &["is a method of the node"]);
    fails("", "impl A { async fn fire(&mut self, x: u8) {} }", &["is an `async fn` of its own"]);
    fails("nondet", "impl A { fn fire(&mut self, x: u8) {} }", &["`nondet` stands on an `async fn`"]);
    fails("", "impl A { const fn fire(&mut self, x: u8) {} }", &["not `const fn`"]);
    fails("", "impl A { fn fire<T>(&mut self, x: T) {} }", &["on the `impl`"]);
    fails("", "impl A { fn fire(&mut self, #[param] x: u8) {} }", &["is a field of the struct"]);
    fails("", "impl A { fn fire(&self, x: u8) {} fn fire(&self, x: u8) {} }", &["twice"]);
    fails("", "impl A { fn fire(&self) -> u8 { 0 } fn finish(&self) -> u8 { 0 } }", &["before `None`"]);
    fails(
        "",
        "impl A { fn fire(&self, x: u8) -> (u8, u8) { (x, x) } fn finish(&self) -> u8 { 0 } }",
        &["both have the same outputs"],
    );
    fails(
        "",
        "impl A { fn fire(&self, x: u8) -> u8 { x } fn finish(&self, x: u8) -> u16 { 0 } }",
        &["takes no inputs", "gives `u8` there"],
    );
    passes("", "impl A { fn fire(&self, x: u8) {} fn finish(&self) -> u8 { 0 } }");
    passes("", "impl A { fn fire(&mut self, x: u8) -> (u8, u8) {} fn finish(&mut self) -> (Option<u8>, Many<u8>) {} }");
    passes("", "impl A { fn fire(self: &mut Self, x: u8) -> u8 { x } pub fn finish(&mut self) {} fn other() {} }");
}

#[test]
fn what_is_no_node_is_told() {
    let what = [
        ("struct A;", "a struct"),
        ("enum A {}", "an enum"),
        ("union A { x: u8 }", "a union"),
        ("trait A {}", "a trait"),
        ("mod a {}", "a module"),
        ("const A: u8 = 0;", "a constant"),
        ("static A: u8 = 0;", "a static"),
        ("type A = u8;", "a type alias"),
        ("use a::b;", "an import"),
        ("a!();", "a macro"),
        ("extern crate a;", "this"),
    ];
    for (code, what) in what {
        fails("", code, &[&format!("not on {what}")]);
    }
    assert!(expanded("", "fn").contains("compile_error"));
}
