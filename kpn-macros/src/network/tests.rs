use proc_macro2::TokenStream;

use super::check::{Names, check};
use super::expand;
use super::parse::parse;
use crate::report::Report;

fn tokens(code: &str) -> TokenStream {
    code.parse().unwrap_or_else(|error| panic!("{code}: {error}"))
}

/// What is said of a network.
fn said(code: &str) -> Vec<String> {
    let mut report = Report::default();
    let mut written = parse(tokens(code), &mut report);
    let names = Names::of(&written);
    check(&mut written, &names, &mut report);
    report.messages()
}

#[track_caller]
fn fails(code: &str, messages: &[&str]) {
    let said = said(code);
    assert_eq!(said.len(), messages.len(), "{said:#?}");
    for (said, message) in said.iter().zip(messages) {
        assert!(said.contains(message), "{message} is not said: {said}");
    }
    expression(code);
}

#[track_caller]
fn passes(code: &str) -> String {
    assert_eq!(said(code), [""; 0]);
    expression(code)
}

/// The expansion, which is one expression.
#[track_caller]
fn expression(code: &str) -> String {
    let expanded = expand(tokens(code));
    syn::parse2::<syn::Expr>(expanded.clone()).unwrap_or_else(|error| panic!("{error}: {expanded}"));
    expanded.to_string().replace(' ', "").replace("::kpn::__rt::", "")
}

#[test]
fn a_chain_is_calls_of_the_builder() {
    let text = passes("a() -> b(0.5) -[capacity: 8]-> c");
    assert_eq!(text.matches("add(&mutbuilder").count(), 3);
    assert_eq!(text.matches("connect(&mutbuilder").count(), 2);
    assert!(text.contains(".capacity(8);"), "{text}");
    assert!(text.ends_with("Builder::build(builder)}"), "{text}");
}

#[test]
fn statements_of_every_kind() {
    passes("");
    passes(";;");
    passes("m = f(); x() -> m.a; m.b -> y();");
    passes("m = f(); m -[initial: [0]]-> m;");
    passes("m = f(); m.b -[initial: [0]]-> m.a;");
    passes("a -> { b, c -> d, { e, f }, };");
    passes("a -> [b(); 4] -> [c() -> d(); N] -> e");
    passes("self.camera -> config.show().named(\"a\") -> { (config.x) }");
    passes("S { x: 1 } -> f::<fn(A) -> B, C>() -> { <A<B, C>>::d(), match x { _ => y } }");
    passes("out -> out2; r#in -> x;");
    let text = passes("in x: A<B>; out y: C; x -> f() -> y;");
    assert!(text.contains("open::<A<B>>(&mutbuilder,\"x\")"), "{text}");
    assert!(text.contains("composite(builder,OpenPorts{x:open0.input,y:open1.output,})"), "{text}");
    let text = passes("m = f()?; m -> g();");
    assert!(text.contains("add_named(&mutbuilder,f()?,\"m\")"), "{text}");
}

#[test]
fn missing_pieces_are_told() {
    fails("a() ->", &["leads nowhere"]);
    fails("-> a()", &["comes from nowhere"]);
    fails("a() -> -> b()", &["leads nowhere"]);
    fails("a();", &["stands alone"]);
    fails("a -> {}", &["is empty"]);
    fails("a -> { b; c }", &["separated by commas"]);
    fails("a -> { b, , c }", &["a member is missing"]);
    fails("a -> [; 3]", &["a member is missing"]);
    fails("a -> b c -> d", &["expected a `;` or an arrow"]);
    fails("a -> { b c }", &["expected a `,` or an arrow"]);
    fails("m = f() a -> m", &["expected a `;` or an arrow"]);
    fails("m = ; a -> b", &["`m = node;`"]);
    fails("m = f() -> b;", &["a declaration names one node"]);
    fails("let m = f(); m -> a", &["without `let`"]);
    fails("a -> { b, c } d.x -> e; d = f();", &["expected a `;`"]);
    fails("a -> [b; 2] c -> d", &["expected a `;`", "is one node"]);
    fails("m = +;", &["expected an expression"]);
    fails("a -> + -> b", &["expected an expression"]);
}

#[test]
fn options_are_checked() {
    fails("a -[capcity: 3]-> b", &["no option `capcity`; known: `capacity`, `initial`"]);
    fails("a -[inital: [0]]-> b", &["no option `inital`; known: `capacity`, `initial`"]);
    fails("a -[initial: [0], initial: [1]]-> b", &["twice"]);
    fails("a -[capacity: 3, capacity: 4]-> b", &["twice"]);
    fails("a -[3]-> b", &["`name: value`"]);
    fails("a -[capacity:]-> b", &["`capacity: value`"]);
    fails("a -[]-> b", &["stand here"]);
    fails("a -[capacity: 3] b", &["`-[capacity: 8]->`"]);
}

#[test]
fn what_is_no_stage_is_told() {
    fails("a -> |x| x", &["a closure is no node"]);
    fails("a -> move |x| x -> b", &["a closure is no node"]);
    fails("m = |x| x; a -> m", &["a closure is no node"]);
    fails("a => b", &["is written `->`"]);
    fails("a - > b", &["is written `->`"]);
    fails("a <- b", &["from left to right"]);
    fails("a |> b", &["is written `->`"]);
    fails("a -> [b, c]", &["`[node; N]`"]);
    fails("a -> [b(); +]", &["expected an expression"]);
    fails("a -> [m; 3]; ", &["is one node"]);
    fails("a -> [{ b(), c() }; 3]", &["write what makes one"]);
    let members = vec!["f()"; 13].join(", ");
    fails(&format!("a -> {{ {members} }}"), &["12 members at most"]);
}

#[test]
fn names_are_checked() {
    fails("m = f(); m = g(); a -> m;", &["`m` is declared twice"]);
    fails("m = f(); a -> b;", &["`m` is declared, but"]);
    fails("mix = f(); a -> mix; mxi.b -> c;", &["did you mean `mix`?"]);
    fails("a -> m.x", &["declare it, `m = ..;`"]);
    fails("a -> b; a -> c;", &["stands here for the second time"]);
    fails("m = f(); a -> m.named(\"x\") -> b;", &["refined where it is declared"]);
}

#[test]
fn initial_tokens_lie_on_one_edge() {
    let text = passes("a() -[capacity: 8, initial: [0.0]]-> b()");
    assert!(text.contains(".capacity(8),[0.0]);"), "{text}");
    passes("a -> { b() -[initial: []]-> c, d }; [e() -[initial: [0]]-> f(); 4] -> g");
    passes("a -[initial: [0]]-> { b }");
    fails("a -[initial: [0]]-> { b, c }", &["give them inside the block"]);
    fails("a -[initial: [0]]-> [b(); 2]", &["give them inside the block"]);
    fails("{ a, b } -[initial: [0]]-> c()", &["name the port"]);
    fails("[a(); 2] -[initial: [0]]-> c()", &["name the port"]);
    fails("{ a, b } -[initial: [0]]-> { c, d }", &["give them inside the block"]);
}

#[test]
fn each_cycle_has_a_token() {
    const CURE: &str =
        " can't start: no token is on it; give this arrow `-[initial: [..]]->`, or `-[initial: []]->` where";
    let one = |code: &str, cycle: &str| fails(code, &[&format!("the cycle {cycle}{CURE}")]);
    one("m = f(); a -> m.a; m.x -> m.b;", "`m` -> `m`");
    one("m = f(); e = g(); a -> m.a; m.x -> e; e -> m.b; m.y -> b;", "`m` -> `e` -> `m`");
    one("m = f(); e = g(); e -> m.b; m.x -> e;", "`e` -> `m` -> `e`");
    one(
        "m = f(); m.x -> a::gain::<f32>(k).named(\"b\") -> Mean::default() -> (S {}) -> m.b;",
        "`m` -> `gain` -> `Mean` -> `S` -> `m`",
    );
    one("m = f(); m.x -> { a() -> m.b, b() };", "`m` -> `a` -> `m`");
    // Where there is a token the cycle starts.
    passes("m = f(); a -> m.a; m.x -[initial: [0]]-> m.b;");
    passes("m = f(); m.x -> a() -[initial: []]-> b() -> m.b;");
    passes("m = f(); m.x -> { a() -[initial: [0]]-> m.b, b() };");
    // Members that pair up stay apart.
    passes("m = f(); n = g(); { m.x, n.x } -> { a(), b() } -> { c(), d() }; m.y -> n.a;");
    passes("m = f(); n = g(); { s, m.y } -> [w(); 2] -> { m.x, n.x };");
    // A composite may have a token inside, or keep its ports apart.
    passes("m = f(); m.x -> part()? -> m.b;");
    passes("m = f(); m.x -> part().unwrap().named(\"p\") -> m.b;");
    passes("m = f()?; m.x -> g() -> m.b;");
    passes("m = f(); m.x -> part -> m.b;");
    passes("m = f(); m.x -> self.part -> m.b;");
    passes("m = f(); m.x -> [w(); N] -> m.b;");
    passes("in x: A; out y: A; m = f(); x -> m.a; m.x -> y;");
    // Two cycles, two errors; a shared arrow has one.
    fails("m = f(); m.x -> a() -> m.a; m.y -> b() -> m.b;", &["`m` -> `a` -> `m`", "`m` -> `b` -> `m`"]);
    fails("m = f(); a() -> { m.a, m.b }; m.x -> { g() -> h(), n }; n = k(); n -> m.c;", &["`m` -> `n` -> `m`"]);
    fails(
        "m = f(); n = g(); { m.x, n.x } -> { a(), b() } -> { n.a, m.a };",
        &["the cycle `m` -> `a` -> `n` -> `b` -> `m` can't"],
    );
    fails("m = f(); m.x -> { m.a, m.b };", &["put a node into the block"]);
    fails("m = f(); { m.x, a() } -> m;", &["name the port"]);
}

#[test]
fn each_port_is_wired_once() {
    fails("m = f(); a -> m.x; b -> m.x;", &["the input `m.x` is wired twice"]);
    fails("m = f(); a -> m; b -> m.x;", &["the input `m.x` is wired twice"]);
    fails("m = f(); a -> m.x; b -> m;", &["the inputs of `m` are wired twice"]);
    fails("m = f(); m.x -> a; m.x -> b;", &["the output `m.x` is wired twice"]);
    fails("m = f(); m -> a; m -> b;", &["the outputs of `m` are wired twice"]);
    fails("m = f(); m.x -> a; m.y -> b; c -> m.x;", &[]);
    fails("m = f(); a -> m.x -> b;", &["doesn't go through one"]);
    fails("m = f(); a -> { m.x, m.x };", &["the input `m.x` is wired twice"]);
}

#[test]
fn open_ports_are_checked() {
    fails("in x; a -> b;", &["`in name: Type;`"]);
    fails("in x: ; a -> b;", &["`in name: Type;`"]);
    fails("out x: +; a -> b;", &["`out name: Type;`"]);
    fails("in x: A; a -> x;", &["`x` is an `in` port"]);
    fails("out x: A; x -> a;", &["`x` is an `out` port"]);
    fails("in x: A; x.y -> a;", &["has no port `y`"]);
    fails("in x: A; a -> b;", &["the open port `x` is wired to nothing"]);
    fails("in x: A; x -> a; x -> b;", &["the open port `x` is wired twice"]);
    fails("in x: A; out x: B; x -> a;", &["`x` is declared twice"]);
    let many: String = (0..13).map(|i| format!("in x{i}: A; x{i} -> f();")).collect();
    fails(&many, &["12 open ports at most"]);
}
