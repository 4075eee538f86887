//! Names of the user's own that the expansions use as well.
#![no_implicit_prelude]
#![allow(non_camel_case_types, dead_code)]

use ::kpn::{network, node};

mod std {}
mod core {}
struct Option;
struct Some;
struct Send;
struct Vec;
struct OpenPorts;

trait Meddles: ::std::marker::Sized {
    fn fire(self, _: ()) {}
    fn call(self) {}
    fn again(self) {}
    fn ins(self) {}
    fn outs(self) {}
    fn install(self) {}
    fn capacity(self) {}
    fn initial(self) {}
    fn recv(self) {}
}
impl<T> Meddles for T {}

#[node]
fn add(self_: u8, builder: u8, info: u8, error: u8, #[param] fired: u8, #[param] param0: &[u8]) -> u8 {
    self_ + builder + info + error + fired + param0[0]
}

#[node]
fn fails(item0: u8, out0: u8, in0: u8) -> ::std::result::Result<::std::option::Option<u8>, ::std::string::String> {
    ::std::result::Result::Ok(::std::option::Option::Some(item0 + out0 + in0))
}

#[node]
async fn takes(in0: &mut ::kpn::In<u8>, out0: &mut ::kpn::Out<u8>, #[param] builder: u8, #[param] takes: &str) -> ::std::fmt::Result {
    while let ::std::option::Option::Some(x) = in0.recv().await {
        let _ = out0.send(x + builder + takes.len() as u8).await;
    }
    ::std::result::Result::Ok(())
}

struct __Phases0;

#[node(consume(item0 = [1, 2]), produce(out = 1))]
fn rated(item0: &[u8], builder: [u8; 2]) -> ::kpn::node::Many<u8> {
    let _: __Phases0 = __Phases0;
    ::std::convert::From::from([item0[0] + builder[0]])
}

struct Keeps(u8);

#[node]
impl Keeps {
    fn fire(&mut self, finish: u8) -> ::kpn::node::Many<u8> {
        self.0 += finish;
        ::kpn::node::Many::new()
    }
    fn finish(&mut self) -> u8 {
        self.0
    }
}

fn builder() -> ::kpn::nodes::Source<::std::ops::Range<u8>> {
    ::kpn::nodes::source(0..3)
}

fn main() {
    let node0 = 1;
    let ports1 = ::std::vec![1];
    let composite = {
        let built = network! {
            in builder: u8;
            out open0: u8;
            node1 = add(node0, ::std::clone::Clone::clone(&ports1));
            builder -> { node1.self_, node1.builder, node1.info, node1.error };
            node1.out -> Keeps(0) -> open0;
        };
        match built {
            ::std::result::Result::Ok(composite) => composite,
            ::std::result::Result::Err(_) => return,
        }
    };
    let net = network! {
        fails = fails();
        builder() -> { fails.item0, fails.out0, fails.in0 };
        fails -> composite -[initial: [1]]-> takes(1, ::std::string::String::new()) -> ::kpn::nodes::sink(|_| ());
    };
    ::std::assert!(net.is_ok());
}
