use super::{fails, passes};

/// The associated types `In` or `Out` of an expansion.
fn rates(side: &str, options: &str, code: &str) -> String {
    let text = passes(options, code).replace(' ', "").replace("::kpn::__rt::", "");
    let rates = text.split(&format!("type{side}=")).nth(1).unwrap_or_default();
    // An array's length stands behind a semicolon.
    rates
        .split(",);")
        .next()
        .map(|rates| format!("{rates},)"))
        .filter(|_| !rates.starts_with("();"))
        .unwrap_or("()".into())
}

fn inputs(options: &str, code: &str) -> String {
    rates("In", options, code)
}

fn outputs(options: &str, code: &str) -> String {
    rates("Out", options, code)
}

/// The rates of all hidden phases.
fn phases(options: &str, code: &str) -> Vec<String> {
    let text = passes(options, code).replace(' ', "");
    let rates = text.split("constRATES:&'static[usize]=&").skip(1);
    rates.filter_map(|rest| rest.split(';').next().map(str::to_owned)).collect()
}

#[test]
fn rates_are_read_from_the_type_as_written() {
    let rates = |code: &str| outputs("", code);
    assert_eq!(rates("fn f(x: u8) {}"), "()");
    assert_eq!(rates("fn f(x: u8) -> u8 { x }"), "(One<u8>,)");
    assert_eq!(rates("fn f(x: u8) -> std::option::Option<u8> { x }"), "(Maybe<u8>,)");
    assert_eq!(rates("fn f(x: u8) -> (Many<u8>) { x }"), "(Any<u8>,)");
    assert_eq!(rates("fn f(x: u8) -> Result<Many<u8>, E> { x }"), "(Any<u8>,)");
    assert_eq!(rates("fn f(x: u8) -> io::Result<Option<u8>> { x }"), "(Maybe<u8>,)");
    assert_eq!(rates("fn f(x: u8) -> fmt::Result { x }"), "()");
    assert_eq!(rates("fn f(x: u8) -> Option<(u8, Many<u8>)> { x }"), "(Maybe<u8>,Any<u8>,)");
    assert_eq!(rates("fn f() -> Option<(u8, Option<u8>)> { x }"), "(One<u8>,Maybe<u8>,)");
    assert_eq!(rates("fn f() -> Option<Many<u8>> { x }"), "(Any<u8>,)");
    assert_eq!(rates("fn f(x: u8) -> (u8, (u8, u8)) { x }"), "(One<u8>,One<(u8,u8)>,)");
    assert_eq!(
        rates("impl A { fn fire(&mut self, x: u8) -> u8 { x } fn finish(&mut self) -> Many<u8> { x } }"),
        "(Any<u8>,)"
    );
    assert_eq!(
        rates("impl A { fn fire(&mut self, x: u8) -> Option<u8> { x } fn finish(&self) -> u8 { x } }"),
        "(Maybe<u8>,)"
    );
    assert_eq!(
        rates("impl A { fn fire(&mut self, x: u8) -> Option<u8> { x } fn finish(&self) -> Result<(), E> { x } }"),
        "(Maybe<u8>,)"
    );
}

#[test]
fn arrays_are_rates() {
    assert_eq!(
        inputs("", "fn f(a: [f32; 2], b: &[f32; N], c: &'a [(u8, u8); 3]) {}"),
        "(Exactly<f32,2>,Exactly<f32,{N}>,Exactly<(u8,u8),3>,)"
    );
    assert_eq!(inputs("", "fn f(a: [[f32; 4]; 2]) {}"), "(Exactly<[f32;4],2>,)");
    assert_eq!(inputs("", "fn f(a: Frame, b: &Pair, c: Box<[u8; 2]>) {}"), "(One<Frame>,One<Pair>,One<Box<[u8;2]>>,)");
    assert_eq!(outputs("", "fn f(x: f32) -> [f32; 3] {}"), "(Exactly<f32,3>,)");
    assert_eq!(
        outputs("", "fn f(x: f32) -> Result<([f32; { 2 * N }], Option<u8>), E> {}"),
        "(Exactly<f32,{{2*N}}>,Maybe<u8>,)"
    );
    assert_eq!(outputs("", "fn f() -> Option<[f32; 3]> {}"), "(Exactly<f32,3>,)");
    assert_eq!(outputs("", "fn f() -> Result<Option<(u8, [f32; 3])>, E> {}"), "(One<u8>,Exactly<f32,3>,)");
    let text = passes("", "fn f(a: [f32; 2], b: &[u8; 3]) -> [u8; 3] {}").replace(' ', "");
    assert!(text.contains("(item0,item1,):([f32;2],[u8;3],)"), "{text}");
    assert!(text.contains("Self::call(self,item0,&item1)"), "{text}");
    assert!(text.contains("Exactly<u8,3>:::kpn::__rt::OutRate<Token=u8,Item=[u8;3]>"), "{text}");
    fails("", "fn f(x: [u8; 0]) -> [u8; 0] {}", &["it isn't empty", "it isn't empty"]);
    fails("", "fn f(x: u8) -> Many<[u8; 2]> {}", &["return a `Many<u8>`"]);
    fails("", "fn f(x: u8) -> Option<[u8; 2]> {}", &["return a `Many<u8>`"]);
    fails("", "fn f(x: u8) -> Option<(u8, [u8; 2])> {}", &["this one has no fixed rate: return a `Many<u8>`"]);
    fails("", "fn f(x: [&u8; 2]) -> [(); 2] {}", &["can't borrow", "`()` is no token"]);
}

#[test]
fn slices_take_what_the_options_say() {
    let f = "fn f(a: &[f32], b: &[u8]) {}";
    assert_eq!(inputs("consume(a = 4, b = N)", f), "(Exactly<f32,4>,Exactly<u8,{N}>,)");
    assert_eq!(inputs("consume(b = 2), peek(a = 5)", f), "(Window<f32,5,1>,Exactly<u8,2>,)");
    assert_eq!(inputs("consume(a = K, b = 3), peek(a = P, b = 3)", f), "(Window<f32,{P},{K}>,Window<u8,3,3>,)");
    assert_eq!(inputs("consume(a = [1, 2], b = [N])", f), "(Cyclic<f32,__Phases0>,Cyclic<u8,__Phases1>,)");
    assert_eq!(phases("consume(a = [1, 2], b = [2 * N])", f), ["[1,2]", "[2*N]"]);
    // An array of them would be too large.
    assert_eq!(inputs("consume(a = 65_536, b = 65_537)", f), "(Exactly<f32,65_536>,Cyclic<u8,__Phases0>,)");
    let text = passes("consume(a = 2, b = [1, 0])", f).replace(' ', "");
    assert!(text.contains("(item0,item1,):([f32;2],::kpn::__rt::Batch<u8>,)"), "{text}");
    assert!(text.contains("Self::call(self,&item0[..],&item1[..])"), "{text}");
    assert_eq!(
        inputs("consume(a = 2), peek(b = 2)", "fn f(a: [u8; 2], b: &[u8; 2]) {}"),
        "(Exactly<u8,2>,Window<u8,2,1>,)"
    );
    assert_eq!(inputs("consume(a = 1)", "fn f(a: u8) {}"), "(One<u8>,)");
    assert!(passes("peek(a = 3)", "fn f<T: Ord>(a: &[T]) {}").contains("T : :: core :: clone :: Clone"));
    assert_eq!(
        inputs("consume(a = N)", "impl<const N: usize> A<N> { fn fire(&mut self, a: &[u8]) {} }"),
        "(Exactly<u8,{N}>,)"
    );
}

#[test]
fn numbers_that_are_said_twice_are_compared() {
    let text = passes("consume(a = N), produce(out = 2 * N)", "fn f(a: [u8; M]) -> [u8; 4] {}").replace(' ', "");
    assert!(text.contains("assert!(N==M,"), "{text}");
    assert!(text.contains("assert!(2*N==4,"), "{text}");
    let text = passes("consume(a = N), produce(out = 4)", "fn f<const N: usize>(a: [u8; N]) -> [u8; 4] {}");
    assert!(!text.contains("assert"), "{text}");
    fails("consume(a = 3)", "fn f(a: [u8; 2]) {}", &["`a` is an array of 2 as it is written, not of 3"]);
    fails("peek(a = 3)", "fn f(a: &[u8; 2]) {}", &["`a` is an array of 2"]);
    fails("produce(out = 3)", "fn f(a: u8) -> [u8; 2] {}", &["`out` is an array of 2"]);
    fails("consume(a = M)", "fn f<const N: usize>(a: [u8; N]) {}", &["the array of `a` has the length `N`"]);
}

#[test]
fn many_gives_what_the_options_say() {
    let f = "fn f(a: u8) -> Many<f32> {}";
    assert_eq!(outputs("produce(out = 2)", f), "(Counted<f32,__Phases0>,)");
    assert_eq!(phases("produce(out = 2)", f), ["[2]"]);
    assert_eq!(phases("produce(out = [2, 0, N])", f), ["[2,0,N]"]);
    assert_eq!(
        outputs("outputs(x, y), produce(y = 2)", "fn f(a: u8) -> (u8, Many<f32>) {}"),
        "(One<u8>,Counted<f32,__Phases0>,)"
    );
    assert_eq!(outputs("produce(out = 2)", "fn f() -> Result<Option<Many<f32>>, E> {}"), "(Counted<f32,__Phases0>,)");
    assert_eq!(outputs("produce(out = 1)", "fn f() -> u8 {}"), "(One<u8>,)");
    let text = passes("produce(out = 2)", "pub fn f(x: u8) -> Many<u8> {}");
    assert!(text.contains("const _ : () = { # [doc (hidden)]"), "{text}");
    fails("produce(out = 2)", "fn f(a: u8) -> u8 {}", &["`out` gives one token as it is written"]);
    fails("produce(out = 2)", "fn f(a: u8) -> Option<u8> {}", &["one token or none as it is written"]);
    fails("produce(out = [1, 2])", "fn f(a: u8) -> [u8; 2] {}", &["an array's length doesn't: return a `Many<u8>`"]);
    fails(
        "produce(out1 = 2)",
        "fn f(a: u8) -> Option<(u8, Many<u8>)> {}",
        &["this one has no fixed rate: return a `Many<u8>`"],
    );
}

#[test]
fn a_last_word_at_a_fixed_rate() {
    let a = |fire: &str, finish: &str| {
        format!("impl A {{ fn fire(&mut self, x: u8) {fire} {{}} fn finish(&mut self) {finish} {{}} }}")
    };
    assert_eq!(outputs("", &a("-> [u8; 2]", "-> Result<[u8; 2], E>")), "(Exactly<u8,2>,)");
    assert_eq!(outputs("", &a("-> [u8; 2]", "")), "(Exactly<u8,2>,)");
    assert_eq!(outputs("", &a("-> [u8; 2]", "-> [u8; 3]")), "(Any<u8>,)");
    assert_eq!(outputs("", &a("-> [u8; 2]", "-> Option<u8>")), "(Any<u8>,)");
    assert_eq!(outputs("", &a("", "-> [u8; 2]")), "(Any<u8>,)");
    assert_eq!(outputs("produce(out = 2)", &a("-> Many<u8>", "")), "(Counted<u8,__Phases0>,)");
    fails("produce(out = 2)", &a("-> Many<u8>", "-> Many<u8>"), &["leave `out` out of `produce(..)`"]);
    fails("produce(out = 2)", &a("", "-> Many<u8>"), &["`finish` is called once"]);
}

#[test]
fn leftovers() {
    let partial =
        |options: &str| passes(options, "fn f(a: [u8; 2]) {}").contains("const PARTIAL_FAILS : bool = true ;");
    assert!(partial("partial = \"error\""));
    assert!(!partial("partial = \"drop\""));
    assert!(!partial(""));
    const WRITTEN: &str = "`partial = \"error\"` makes tokens";
    for wrong in ["partial", "partial = error", "partial = \"fail\"", "partial(error)"] {
        let said = super::expanded(wrong, "fn f(a: [u8; 2]) {}").replace("\\\"", "\"");
        assert!(said.contains(WRITTEN), "{wrong}: {said}");
    }
    fails("partial = \"drop\"", "fn f() -> u8 {}", &["has no tokens left over"]);
}

#[test]
fn wrong_rates_are_told() {
    let f = "fn f(alpha: &[u8], beta: u8) -> u8 {}";
    fails("", f, &["say how many, `#[node(consume(alpha = 4))]`"]);
    fails("consume(alpa = 2)", f, &["no input `alpa`; did you mean `alpha`?", "say how many"]);
    fails("consume(alpha = 2, other = 3)", f, &["no input `other`; known: `alpha`, `beta`"]);
    fails("consume(out = 2, alpha = 2)", f, &["no input `out`"]);
    fails("consume(alpha = 2), produce(beta = 1)", f, &["no output `beta`; known: `out`"]);
    fails("produce(out = 1)", "fn f(x: u8) {}", &["no output `out`"]);
    fails(
        "consume(alpha = 2, beta = 2)",
        f,
        &["`beta` takes one token as it is written: for several write `beta: &[u8]`"],
    );
    fails("consume(alpha = 2), peek(beta = 2)", f, &["`beta` takes one token"]);
    fails("consume(alpha = 0)", f, &["a rate of 0 says"]);
    fails("consume(alpha = [0, 0])", f, &["all phases are 0"]);
    fails("consume(alpha = [])", f, &["at least one phase"]);
    fails("consume(alpha = -1)", f, &["a rate is a number of tokens"]);
    fails("consume(alpha = \"2\")", f, &["a rate is a number of tokens"]);
    fails("consume(alpha = [1, 2.0])", f, &["a rate is a number of tokens"]);
    fails("consume(alpha = [1, [2]])", f, &["a rate is a number of tokens"]);
    fails("consume(alpha = 2), consume(alpha = 2)", f, &["`consume` is said twice"]);
    fails("consume(alpha = 2, alpha = 3)", f, &["`consume` names `alpha` twice"]);
    fails("consume = 2", f, &["stands in parentheses: `consume(a = 4", "say how many"]);
    fails("peek(alpha = 2), consume(alpha = 3)", f, &["a window of 2 can't move on by 3"]);
    fails("peek(alpha = [2, 3])", f, &["a window sees the same number of tokens"]);
    fails("peek(alpha = 2), consume(alpha = [1, 2])", f, &["a window moves on by the same number"]);
    fails("consume(a = [1, 2])", "fn f(a: [u8; 2]) {}", &["an array's length doesn't: write `a: &[u8]`"]);
    fails("consume(a = [1, N])", "fn f<const N: usize>(a: &[u8]) {}", &["can't depend on the node's generics"]);
    fails("", "fn f(x: &mut [u8]) {}", &["`mut x: [u8; 4]`"]);
    for option in ["consume(x = 2)", "peek(x = 2)", "produce(x = 2)", "partial = \"drop\""] {
        fails(option, "async fn f(x: &mut In<u8>) {}", &["so it has no rates: leave"]);
    }
}
