//! One run's histories, and one output's while it is written.

use std::any::type_name;
use std::collections::BTreeMap;

use super::probe::{Probe, Probes};
use crate::channel::{LinkRef, Watch};
use crate::sync::{Arc, Mutex};

/// What an output gave.
#[derive(Clone, Debug, Default)]
pub(crate) struct History {
    /// How many tokens.
    pub(crate) count: usize,
    /// Their hashes; kept where there is nothing to compare with.
    pub(crate) hashes: Vec<u64>,
    /// Its readers had all left before it ended, so how long it is may depend on time.
    pub(crate) cut: bool,
    /// The first token that differs from the one that was expected in its place.
    pub(crate) differs: Option<usize>,
    /// In words: the token that differs, or the first one beyond what was expected, or the one that was asked for.
    pub(crate) text: Option<String>,
    /// Its type, where its tokens can't be told apart.
    pub(crate) blind: Option<&'static str>,
}

/// The histories of a run, by the name of each output's first edge.
pub(crate) type Histories = BTreeMap<String, History>;

/// Records one run.
pub(crate) struct Recorder {
    probes: Probes,
    /// What to compare with.
    expected: Option<Arc<Histories>>,
    /// The token that is wanted in words: of this output, with this index.
    wanted: Option<(String, usize)>,
    histories: Mutex<Histories>,
}

impl Recorder {
    pub(crate) fn new(probes: Probes, expected: Option<Arc<Histories>>, wanted: Option<(String, usize)>) -> Arc<Self> {
        Arc::new(Self { probes, expected, wanted, histories: Mutex::default() })
    }

    /// The histories of a run that has ended.
    pub(crate) fn take(&self) -> Histories {
        std::mem::take(&mut *self.histories.lock())
    }
}

/// Watches an output.
pub(crate) struct Recording<T> {
    probe: Option<Probe<T>>,
    tape: Tape,
}

impl<T: 'static> Recording<T> {
    /// Of the output whose first edge has this name, and whose edges have these words.
    pub(crate) fn new(recorder: Arc<Recorder>, name: String, links: Vec<LinkRef>) -> Self {
        let probe = recorder.probes.find::<T>();
        let blind = probe.is_none().then(type_name::<T>);
        Self { probe, tape: Tape::new(recorder, name, links, blind) }
    }
}

impl<T> Watch<T> for Recording<T> {
    fn token(&mut self, token: &T) {
        let noticed = self.tape.note(self.probe.map_or(0, |probe| (probe.hash)(token)));
        if let Some(text) = self.probe.and_then(|probe| probe.text).filter(|_| noticed) {
            self.tape.history.text = Some(text(token));
        }
    }
}

struct Tape {
    recorder: Arc<Recorder>,
    name: String,
    links: Vec<LinkRef>,
    history: History,
}

impl Tape {
    fn new(recorder: Arc<Recorder>, name: String, links: Vec<LinkRef>, blind: Option<&'static str>) -> Self {
        let history = History { blind, ..History::default() };
        Self { recorder, name, links, history }
    }

    /// Takes down a token; whether its words are of interest.
    fn note(&mut self, hash: u64) -> bool {
        let history = &mut self.history;
        let index = history.count;
        history.count += 1;
        let Some(expected) = &self.recorder.expected else {
            history.hashes.push(hash);
            return false;
        };
        let hashes = expected.get(&self.name).map_or(&[][..], |expected| &expected.hashes);
        let differed = history.differs.is_some();
        if !differed && hashes.get(index).is_some_and(|expected| *expected != hash) {
            history.differs = Some(index);
        }
        match &self.recorder.wanted {
            Some((name, at)) => *at == index && *name == self.name,
            None => !differed && (history.differs.is_some() || index == hashes.len()),
        }
    }
}

impl Drop for Tape {
    fn drop(&mut self) {
        // It goes before the output's edges are closed: a reader that is gone has left by itself.
        self.history.cut = self.links.iter().all(|link| !link.has_reader());
        let history = History { hashes: std::mem::take(&mut self.history.hashes), ..self.history.clone() };
        self.recorder.histories.lock().insert(std::mem::take(&mut self.name), history);
    }
}
