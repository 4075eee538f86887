//! Processes: a program in the real thing's words.

use kpn::node::{Body, InPort, Node, NodeInfo, OutPort};
use kpn::prelude::*;

use super::super::program::{END, IDLE, Op, Phase, Program, REPEATS, Until, Value};
use super::super::rules::chain;
use super::record::Recorder;
use super::{Loose, Manner};
use crate::step::StepPorts;

/// A process with so many inputs and outputs.
struct Process<const I: usize, const O: usize>(Thread);

impl<const I: usize, const O: usize> Node for Process<I, O> {
    type Ports = StepPorts<[InPort<u64>; I], [OutPort<u64>; O]>;
}

impl<const I: usize, const O: usize> Body<'static> for Process<I, O> {
    fn install(self, builder: &mut Builder<'static>) -> Self::Ports {
        let info = NodeInfo { name: "process", inputs: &["a", "b", "c"], outputs: &["x", "y", "z"] };
        let (ins, outs) = builder.process(info, |ins: [In<u64>; I], outs: [Out<u64>; O]| self.0.run(ins, outs));
        StepPorts { ins, outs }
    }
}

/// Adds a process.
pub(super) fn install(
    builder: &mut Builder<'static>,
    manner: Manner,
    program: Program,
    salt: u64,
    recorder: Recorder,
) -> Loose {
    let ports = (program.inputs, program.outputs);
    let ended = vec![false; program.inputs];
    let thread = Thread { program, acc: salt, last: salt, sent: 0, ended, took: false, met: false, recorder };
    macro_rules! match_ports {
        ($($i:literal: $($o:literal)*;)*) => {
            match ports {
                $($(($i, $o) => manner.add(builder, Process::<$i, $o>(thread)),)*)*
                (inputs, outputs) => unreachable!("no process has {inputs} inputs and {outputs} outputs"),
            }
        };
    }
    match_ports! {
        0: 1 2 3;
        1: 0 1 2 3;
        2: 0 1 2 3;
        3: 0 1 2 3;
        4: 0 1 2 3;
    }
}

struct Thread {
    program: Program,
    acc: u64,
    last: u64,
    sent: u64,
    ended: Vec<bool>,
    /// In this round.
    took: bool,
    /// In this operation.
    met: bool,
    recorder: Recorder,
}

impl Thread {
    async fn run<const I: usize, const O: usize>(
        mut self,
        mut ins: [In<u64>; I],
        mut outs: [Out<u64>; O],
    ) -> Result<(), Closed> {
        for phase in std::mem::take(&mut self.program.phases) {
            let (mut rounds, mut idle) = (0, 0);
            while self.round(&phase, &mut ins, &mut outs).await? {
                rounds += 1;
                idle = if self.took { 0 } else { idle + 1 };
                let over = match phase.until {
                    Until::One => false,
                    Until::All => I > 0 && self.ended.iter().all(|&ended| ended),
                    Until::Rounds(n) => rounds >= n,
                };
                if over || I > 0 && idle >= IDLE {
                    break;
                }
            }
        }
        Ok(())
    }

    /// One round; false where it ends the phase.
    async fn round(&mut self, phase: &Phase, ins: &mut [In<u64>], outs: &mut [Out<u64>]) -> Result<bool, Closed> {
        let mut repeats = 0;
        let mut at = 0;
        self.took = false;
        while let Some(&op) = phase.ops.get(at) {
            at += 1;
            self.met = false;
            match op {
                Op::Recv(port) => self.recv(port, ins).await,
                Op::RecvBy(a, b) => self.recv(self.either(a, b), ins).await,
                Op::RecvMany(port, count) => {
                    let count = count.of(self.acc);
                    let mut tokens = Vec::new();
                    let got = ins[port].recv_many(&mut tokens, count).await;
                    assert_eq!(got, tokens.len(), "recv_many tells how many it appended");
                    tokens.into_iter().for_each(|token| self.take(port, Some(token)));
                    if got < count {
                        self.take(port, None);
                    }
                }
                Op::Both(a, b) => {
                    let [first, second] = ins.get_disjoint_mut([a, b]).expect("two inputs");
                    let (first, second) = kpn::join(first.recv(), second.recv()).await;
                    self.take(a, first);
                    self.take(b, second);
                }
                Op::Peek(port) => match ins[port].peek().await.copied() {
                    Some(token) => self.acc = chain(self.acc, !token),
                    None => self.take(port, None),
                },
                Op::Least(a, b) => {
                    let (first, second) = (ins[a].peek().await.copied(), ins[b].peek().await.copied());
                    [(a, first), (b, second)].into_iter().filter(|(_, token)| token.is_none()).for_each(|(port, _)| {
                        self.take(port, None);
                    });
                    match (first, second) {
                        (None, None) => {}
                        (Some(_), None) | (None, Some(_)) if phase.until == Until::One => {}
                        (Some(x), Some(y)) if y < x => self.recv(b, ins).await,
                        (None, Some(_)) => self.recv(b, ins).await,
                        (Some(_), _) => self.recv(a, ins).await,
                    }
                }
                Op::Send(port, value) => self.send(port, value, outs).await?,
                Op::SendBy(a, b, value) => self.send(self.either(a, b), value, outs).await?,
                Op::SendMany(port, count) => {
                    let tokens: Vec<u64> =
                        (0..count.of(self.acc)).flat_map(|_| self.next(port, Value::Digest)).collect();
                    outs[port].send_many(tokens).await?;
                }
                Op::Skip { once_in, ops } if (self.acc >> 13).is_multiple_of(once_in) => at += ops,
                Op::Skip { .. } => {}
                Op::Again { once_in, ops } => {
                    if repeats < REPEATS && !(self.acc >> 17).is_multiple_of(once_in) {
                        repeats += 1;
                        at = at - 1 - ops;
                    }
                }
            }
            if self.met && phase.until == Until::One {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn either(&self, a: usize, b: usize) -> usize {
        if self.acc & 1 == 0 { a } else { b }
    }

    async fn recv(&mut self, port: usize, ins: &mut [In<u64>]) {
        let token = ins[port].recv().await;
        self.take(port, token);
    }

    fn take(&mut self, port: usize, token: Option<u64>) {
        match token {
            Some(token) => {
                self.recorder.took(port, &[token]);
                self.acc = chain(self.acc, token);
                self.last = token;
                self.took = true;
            }
            None => {
                self.acc = chain(self.acc, END + port as u64);
                self.ended[port] = true;
                self.met = true;
            }
        }
    }

    /// The token to send next, or what is sent in its place.
    fn next(&mut self, port: usize, value: Value) -> Vec<u64> {
        let token = match value {
            Value::Last => self.last,
            Value::Digest => chain(chain(self.acc, 0x500 + port as u64), self.sent),
        };
        self.sent += 1;
        self.recorder.gives(port, token)
    }

    async fn send(&mut self, port: usize, value: Value, outs: &mut [Out<u64>]) -> Result<(), Closed> {
        for token in self.next(port, value) {
            outs[port].send(token).await?;
        }
        Ok(())
    }
}
