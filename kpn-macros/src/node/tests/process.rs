use super::{fails, passes, ports};

#[test]
fn a_process_has_the_ports_that_it_takes() {
    let merge = "/// M
        #[inline] #[cfg(unix)]
        pub async fn merge<'a, T: Ord>(
            /// The first.
            a: &'a mut In<T>, b: &mut kpn::In<[f32; 2]>, /** Merged. */ out: &mut Out<T>,
            #[param] k: u64, #[param] table: &[T], #[param] name: &str,
        ) -> Result<(), Closed> { todo!() }";
    assert_eq!(ports("", merge), ["a: InPort<T>", "b: InPort<[f32;2]>", "out: OutPort<T>"]);
    let text = passes("", merge).replace(' ', "");
    assert!(
        text.contains(
            "process::<(::kpn::__rt::In<T>,::kpn::__rt::In<[f32;2]>,),(::kpn::__rt::Out<T>,),_,_>(builder,info,false,"
        ),
        "{text}"
    );
    assert!(text.contains("move|(mutin0,mutin1,),(mutout0,)|asyncmove"), "{text}");
    assert!(
        text.contains("=merge::<T>(&mutin0,&mutin1,&mutout0,self.k,&self.table[..],&self.name[..]).await;"),
        "{text}"
    );
    let call = "pubasyncfncall<'a>(&self,a:&'amutIn<T>,b:&mutkpn::In<[f32;2]>,out:&mutOut<T>)->Result<(),Closed>";
    assert!(text.contains(call), "{text}");
    assert!(text.contains("T:::core::marker::Sync"), "{text}");
    assert_eq!(text.matches("#[cfg(unix)]").count(), 7, "{text}");
    assert!(passes("nondet", "async fn f(x: &mut In<u8>) {}").contains("true , move"));
    passes("", "async fn f(x: &mut In<Option<u8>>, y: &mut Out<(u8, u8)>) -> io::Result<()> {}");
    passes("", "async fn f(x: &mut (Out<u8>)) -> () {}");
    passes("", "async fn f(x: &mut In<u8>) -> fmt::Result {}");
}

#[test]
fn wrong_processes_are_told() {
    let port = "mark `k` `#[param]`, or make it a port: `k: &mut In<u8>`";
    fails("", "async fn f(x: &mut In<u8>, k: u8) {}", &[port]);
    fails("", "async fn f(x: &mut In<u8>, k: &mut u8) {}", &[port]);
    fails("", "async fn f(x: In<u8>, y: &Out<u16>) {}", &["`x: &mut In<u8>`", "`y: &mut Out<u16>`"]);
    fails("", "async fn f(x: &mut In<u8>, #[param] y: &mut Out<u8>) {}", &["leave `#[param]` out here"]);
    fails("", "async fn f(x: &mut In<&u8>, y: &mut Out<impl Send>) {}", &["can't borrow", "write a generic"]);
    fails("", "async fn f<'a>(x: &'a mut In<u8>, #[param] y: &'a u8) {}", &["leave `'a` out here"]);
    fails("", "async fn f(x: &mut In<u8>) -> u8 {}", &["it returns nothing or a `Result<(), E>`"]);
    fails("", "async fn f(x: &mut In<u8>) -> Result<u8, E> {}", &["it returns nothing or a `Result<(), E>`"]);
    fails("", "async fn f(#[param] k: u8) {}", &["has no port"]);
    fails("", "async unsafe fn f(x: &mut In<u8>) {}", &["can't be an `unsafe fn`"]);
    fails("outputs(a)", "async fn f(x: &mut Out<u8>) {}", &["leave `outputs(..)` out here"]);
    fails("nondet, nondet", "async fn f(x: &mut In<u8>) {}", &["said twice"]);
    fails("nondet = 3", "async fn f(x: &mut In<u8>) {}", &["takes no value"]);
    let many: String = (0..13).map(|i| format!("x{i}: &mut In<u8>, ")).collect();
    fails("", &format!("async fn f({many}) {{}}"), &["has 13 inputs"]);
    // What fires has no ends of edges.
    fails("", "fn f(x: &mut In<u8>) {}", &["take the token itself: `x: u8`"]);
    fails("", "fn f(x: u8, y: Out<u8>) {}", &["return what it gives"]);
    fails("", "impl A { fn fire(&mut self, x: &In<u8>) {} }", &["take the token itself: `x: u8`"]);
    fails("nondet", "fn f(x: u8) {}", &["`nondet` stands on an `async fn`"]);
    passes("", "fn f(x: In, y: a::Out) {}");
}
