//! A node that merges streams in the order in which their tokens come.

use std::marker::PhantomData;

use super::select_among;
use crate::builder::Builder;
use crate::node::{Body, InPort, Node, NodeInfo, OutPort, Ports, Token};
use crate::process::{Closed, In, Out};

/// A node that merges `N` inputs; made by [`merge`].
#[derive(Debug)]
pub struct Merge<T, const N: usize>(PhantomData<fn(T)>);

/// Ports of [`merge`].
#[derive(Debug)]
pub struct MergePorts<T, const N: usize> {
    /// The inputs.
    pub inputs: [InPort<T>; N],
    /// The output.
    pub out: OutPort<T>,
}

/// Sends on the tokens of all inputs in the order in which they come; those of one input stay in order. Type and width come from
/// the arrow.
///
/// ```
/// use kpn::prelude::*;
///
/// let mut seen = Vec::new();
/// let net = network! { { source(0..3), source(10..13) } -> kpn::nondet::merge() -> sink(|x: i32| seen.push(x)) }?;
/// let report = net.run()?;
/// assert!(seen.iter().filter(|x| **x < 10).eq(&[0, 1, 2]));
/// assert!(seen.iter().filter(|x| **x >= 10).eq(&[10, 11, 12]));
/// assert_eq!(report.not_determinate, ["merge"]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn merge<T, const N: usize>() -> Merge<T, N> {
    const { assert!(N > 0, "`merge()` merges at least one output") };
    Merge(PhantomData)
}

impl<T, const N: usize> Ports for MergePorts<T, N> {
    type Ins = [InPort<T>; N];
    type Outs = (OutPort<T>,);
    fn ins(&self) -> Self::Ins {
        std::array::from_fn(|i| self.inputs[i].again())
    }
    fn outs(&self) -> Self::Outs {
        (self.out.again(),)
    }
}

impl<T: Token, const N: usize> Node for Merge<T, N> {
    type Ports = MergePorts<T, N>;
}

impl<'env, T: Token, const N: usize> Body<'env> for Merge<T, N> {
    fn install(self, builder: &mut Builder<'env>) -> Self::Ports {
        let info = NodeInfo { name: "merge", inputs: &[], outputs: &["out"] };
        let start = |mut inputs: [In<T>; N], (mut out,): (Out<T>,)| async move {
            while let Some((_, token)) = select_among(&mut inputs).await {
                out.send(token).await?;
            }
            Ok::<(), Closed>(())
        };
        let (inputs, (out,)) = builder.nondet_process(info, start);
        MergePorts { inputs, out }
    }
}
