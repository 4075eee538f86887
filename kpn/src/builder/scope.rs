//! Whose node is it that is added, and what was said of it?

use super::Builder;
use crate::graph::Graph;
use crate::node::{Body, Options};

/// A body whose `install` is running: what was said of it, and its scope once it turns out to have
/// bodies inside.
#[derive(Default)]
pub(super) struct Frame {
    said: Options,
    /// Its name where none was said.
    declared: Option<&'static str>,
    scope: Option<usize>,
}

impl Frame {
    fn name(&self) -> Option<String> {
        self.said.name.clone().or_else(|| self.declared.map(str::to_owned))
    }
}

impl<'env> Builder<'env> {
    /// Adds a node or a composite; returns its ports.
    pub fn add<B: Body<'env>>(&mut self, node: B) -> B::Ports {
        self.framed(Frame::default(), node)
    }

    /// Adds a node or a composite under the name that it was declared with in `network!`; one that it was given
    /// by [`crate::node::Refine::named`] holds against it.
    pub(crate) fn add_named<B: Body<'env>>(&mut self, node: B, name: &'static str) -> B::Ports {
        self.framed(Frame { declared: Some(name), ..Frame::default() }, node)
    }

    fn framed<B: Body<'env>>(&mut self, frame: Frame, node: B) -> B::Ports {
        self.frames.push(frame);
        let ports = node.install(self);
        self.frames.pop();
        ports
    }

    /// Runs `install` with these refinements in force for the body that it adds. Of two that speak of the same
    /// body, the outer one was said later and holds.
    pub(crate) fn refining<R>(&mut self, options: Options, install: impl FnOnce(&mut Self) -> R) -> R {
        let Some(frame) = self.frames.last_mut() else {
            self.frames.push(Frame { said: options, ..Frame::default() });
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
            let name = frame.name();
            parent = *frame.scope.get_or_insert_with(|| self.graph.scope(parent, name));
        }
        let mut said = Options { name: own.name(), ..own.said.clone() };
        for frame in around.iter().rev() {
            said = said.or(Options { name: None, ..frame.said.clone() });
        }
        (parent, said)
    }
}
