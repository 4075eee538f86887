//! A network that is ready to run.
use std::collections::HashMap;

use crate::error::BuildError;
use crate::graph::Graph;
use crate::node::bound::Unbound;
use crate::node::rate::{MakeEdge, Opaque};

/// A checked network, ready to run once.
pub struct Network<'env> {
    _graph: Graph,
    _bodies: Vec<Option<Box<dyn Unbound + 'env>>>,
}

impl<'env> Network<'env> {
    pub(crate) fn new(
        graph: Graph,
        bodies: Vec<Option<Box<dyn Unbound + 'env>>>,
        _makes: Vec<MakeEdge>,
        _clones: HashMap<(usize, usize), Opaque>,
    ) -> Self {
        Self { _graph: graph, _bodies: bodies }
    }

    /// Runs.
    pub fn run(self) -> Result<(), BuildError> {
        todo!()
    }
}
