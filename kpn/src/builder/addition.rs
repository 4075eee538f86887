//! New nodes for a network that runs. What a process adds is checked like any network, with stand-ins for the process
//! itself: nodes without a body.

use std::marker::PhantomData;

use super::Builder;
use crate::error::BuildError;
use crate::graph::{self, Graph};
use crate::node::bound::unbound;
use crate::node::rate::{Inputs, Outputs, PortShape};
use crate::node::{Fired, Firing, InPort, NodeInfo, One, Options, OutPort, Token};
use crate::plan::Plan;
use crate::stall::Stall;

/// Sends on what it takes.
struct Fork<T>(PhantomData<fn(T)>);

impl<T: Token> Firing for Fork<T> {
    type In = (One<T>,);
    type Out = (One<T>,);

    fn fire(&mut self, token: (T,)) -> Fired<(T,)> {
        Fired::Emit(token)
    }
}

impl Builder<'static> {
    /// A port of the process from which the new nodes read.
    pub(crate) fn begin<T: Token>(&mut self, port: &'static str) -> OutPort<T> {
        let node = self.stand_in(port, Vec::new(), <(One<T>,) as Outputs>::shapes());
        <(One<T>,) as Outputs>::ports(self.id, node).0
    }

    /// A port of the process to which the new nodes write.
    pub(crate) fn end<T: Token>(&mut self, port: &'static str) -> InPort<T> {
        let node = self.stand_in(port, <(One<T>,) as Inputs>::shapes(), Vec::new());
        <(One<T>,) as Inputs>::ports(self.id, node).0
    }

    fn stand_in(&mut self, port: &'static str, inputs: Vec<PortShape>, outputs: Vec<PortShape>) -> usize {
        let info = NodeInfo { name: port, inputs: &[], outputs: &[] };
        self.parts.bodies.push(None);
        let node = self.graph.add(info, inputs, outputs, Graph::ROOT, Options::default());
        self.graph.nodes[node].stand_in = true;
        node
    }

    /// Checks the new nodes and freezes them, named after the process that adds them and the number of its addition.
    ///
    /// # Errors
    ///
    /// As [`Builder::build`].
    pub(crate) fn addition<T: Token>(
        mut self,
        process: &str,
        number: usize,
        one_entry: bool,
    ) -> Result<Plan<'static>, BuildError> {
        graph::check(&mut self.graph)?;
        self.splice();
        if one_entry {
            self.join_entries::<T>();
        }
        graph::check_rates(&self.graph)?;
        self.graph.fit(None);
        for node in &mut self.graph.nodes {
            node.name = if node.stand_in { process.to_owned() } else { format!("{process}/{}#{number}", node.name) };
        }
        Ok(Plan::new(&self.graph, self.parts, Stall::default()))
    }

    /// Where the process feeds several of the new nodes at once, a node before them does: the process has one edge to give away.
    fn join_entries<T: Token>(&mut self) {
        let stands_in = |graph: &Graph, node: usize| graph.nodes[node].stand_in;
        let enters = |edge: &graph::EdgeSpec| edge.from.is_some_and(|(node, _)| stands_in(&self.graph, node));
        let entries: Vec<usize> = (0..self.graph.edges.len()).filter(|&edge| enters(&self.graph.edges[edge])).collect();
        let [first, _, ..] = entries[..] else { return };
        let Some(begin) = self.graph.edges[first].from else { return };
        let (shapes, gives) = (<(One<T>,) as Inputs>::shapes(), <(One<T>,) as Outputs>::shapes());
        let info = NodeInfo { name: "fork", inputs: &["input"], outputs: &["out"] };
        let fork = self.graph.add(info, shapes, gives, Graph::ROOT, Options::default());
        self.parts.bodies.push(Some(unbound(info, Fork::<T>(PhantomData))));
        for edge in entries {
            self.graph.edges[edge].from = Some((fork, 0));
        }
        self.graph.connect(Some(begin), Some((fork, 0)));
        self.parts.makes.push(self.parts.makes[first]);
        if let Some(clone) = self.parts.clones.remove(&begin) {
            self.parts.clones.insert((fork, 0), clone);
        }
    }
}
