//! What the compiler says of mistakes, word for word.
//!
//! After a change of a sentence `TRYBUILD=overwrite cargo test -p kpn-tests --test ui` writes them anew; read
//! what changed before you keep it.

#[test]
fn ui() {
    let cases = trybuild::TestCases::new();
    cases.compile_fail("ui/node/*.rs");
    cases.compile_fail("ui/network/*.rs");
    cases.pass("ui/pass/*.rs");
}
