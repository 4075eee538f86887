//! Whose node is it that is added, and what was said of it?

use super::Builder;
use crate::graph::Graph;
use crate::node::{Body, Options};

/// A body whose `install` is running: what was said of it, and its scope once it turns out to have
/// bodies inside.
#[derive(Default)]
pub(super) struct Frame {
    said: Options,
    scope: Option<usize>,
}

impl<'env> Builder<'env> {
    /// Adds a node or a composite; returns its ports.
    pub fn add<B: Body<'env>>(&mut self, node: B) -> B::Ports {
        self.frames.push(Frame::default());
        let ports = node.install(self);
        self.frames.pop();
        ports
    }

    /// Runs `install` with these refinements in force for the body that it adds. Of two that speak of the same
    /// body, the outer one was said later and holds.
    pub(crate) fn refining<R>(&mut self, options: Options, install: impl FnOnce(&mut Self) -> R) -> R {
        let Some(frame) = self.frames.last_mut() else {
            self.frames.push(Frame { said: options, scope: None });
            let installed = install(self);
            self.frames.pop();
            return installed;
        };
        let before = frame.said.clone();
        frame.said = before.clone().or(options);
        let installed = install(self);
        if let Some(frame) = self.frames.last_mut() {
            frame.said = before;
        }
        installed
    }

    /// The scope that the body at hand stands in, and what holds for it: what was said of itself, then
    /// what was said of the bodies around it, the nearest first. Its name is its own.
    pub(super) fn standing(&mut self) -> (usize, Options) {
        let Some((own, around)) = self.frames.split_last_mut() else {
            return (Graph::ROOT, Options::default());
        };
        let mut parent = Graph::ROOT;
        for frame in around.iter_mut() {
            parent = *frame.scope.get_or_insert_with(|| self.graph.scope(parent, frame.said.name.clone()));
        }
        let mut said = own.said.clone();
        for frame in around.iter().rev() {
            said = said.or(Options { name: None, ..frame.said.clone() });
        }
        (parent, said)
    }
}
