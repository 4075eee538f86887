//! The runs of a verification.

use std::collections::BTreeSet;

use super::Verification;
use super::compare::Map;
use super::difference::{Difference, Proof, What};
use super::setting::{Capacity, Place, Setting};
use crate::history::{Histories, Learning, Recorder, learning};
use crate::sync::Arc;

/// The most nodes that get a thread each.
const MOST_THREADS: usize = 64;

/// A verification whose first run has been done.
pub(super) struct Runs<'m> {
    verification: Verification<'m>,
    _learning: Learning,
    map: Map,
    nodes: usize,
    first: Run,
}

/// What came of one run.
struct Run {
    histories: Arc<Histories>,
    failed: Option<String>,
    looks: Vec<String>,
}

/// A difference that has nothing to tell but this.
fn difference(what: What, found_in: Setting) -> Difference {
    Difference { what: Box::new(what), found_in, expected_in: Setting::FIRST, also: Vec::new(), node: None }
}

impl<'m> Runs<'m> {
    pub(super) fn new(mut verification: Verification<'m>) -> Result<Self, Difference> {
        let _learning = learning();
        let (map, nodes, first) = verification.once(Setting::FIRST, None, None)?;
        match &first.failed {
            Some(error) if !verification.may_fail => Err(difference(What::AlwaysFails(error.clone()), Setting::FIRST)),
            _ => Ok(Self { verification, _learning, map, nodes, first }),
        }
    }

    pub(super) fn all(mut self) -> Result<Proof, Difference> {
        let settings = self.settings();
        let mut looks = (!self.first.looks.is_empty()).then(|| (self.first.looks.clone(), Setting::FIRST));
        for &setting in &settings {
            let run = self.compare(setting)?;
            if !run.looks.is_empty() {
                looks.get_or_insert((run.looks, setting));
            }
        }
        if let Some((who, setting)) = looks {
            return Err(difference(What::Looks(who), setting));
        }
        let histories = &self.first.histories;
        let counted: BTreeSet<&str> = histories.values().filter_map(|history| history.blind).collect();
        Ok(Proof {
            runs: settings.len() + 1,
            outputs: histories.len(),
            tokens: histories.values().map(|history| history.count).sum(),
            counted: counted.into_iter().map(str::to_owned).collect(),
            failed: self.first.failed,
        })
    }

    /// First what can be repeated, so that a difference that shows there is told by a seed. The first setting once more tells
    /// whether the schedule is all that matters.
    fn settings(&self) -> Vec<Setting> {
        let Verification { seeds, workers, capacities, threads, .. } = &self.verification;
        let seeded = seeds.clone().map(|seed| Setting::of_seed(seed, capacities));
        let places = workers.iter().map(|workers| Place::Workers(*workers));
        let several = || workers.iter().copied().filter(|workers| *workers > 1);
        let shared = several().map(Place::Elastic).chain(several().map(Place::Shuffled));
        let private = (*threads && self.nodes <= MOST_THREADS).then_some(Place::Private);
        let by_themselves = places.chain(shared).chain(private).flat_map(|place| {
            let all = capacities.iter().map(|each| Capacity::Each(*each)).chain([Capacity::AsBuilt]);
            all.map(move |capacity| Setting { place, capacity })
        });
        [Setting::FIRST].into_iter().chain(seeded).chain(by_themselves).collect()
    }

    /// One run, compared with the first.
    fn compare(&mut self, setting: Setting) -> Result<Run, Difference> {
        let expected = self.first.histories.clone();
        let (map, _, run) = self.verification.once(setting, Some(expected.clone()), None)?;
        let (before, now): (BTreeSet<_>, BTreeSet<_>) = (self.map.outputs().collect(), map.outputs().collect());
        if let Some(edge) = before.symmetric_difference(&now).next() {
            return Err(difference(What::OtherNetwork((*edge).clone()), setting));
        }
        let cut = run.failed.is_some() || self.first.failed.is_some();
        if let Some(first) = self.map.first_difference(&expected, &run.histories, cut) {
            let mut what = first.what;
            self.show_expected(&mut what);
            let expected_in = Setting::FIRST;
            return Err(Difference {
                what: Box::new(what),
                found_in: setting,
                expected_in,
                also: first.also,
                node: first.node,
            });
        }
        match (&self.first.failed, &run.failed) {
            (None, Some(error)) => Err(difference(What::Fails(error.clone()), setting)),
            (Some(error), None) => Err(difference(What::Succeeds(error.clone()), setting)),
            _ => Ok(run),
        }
    }

    /// Adds the token that was expected, by the first run once more.
    fn show_expected(&mut self, what: &mut What) {
        match what {
            What::Differs { edge, index, expected, .. } => *expected = self.expected_token(edge, *index),
            What::Count { edge, expected, found, token } if *found < *expected => {
                *token = self.expected_token(edge, *found);
            }
            _ => {}
        }
    }

    fn expected_token(&mut self, edge: &str, index: usize) -> Option<String> {
        let (expected, wanted) = (self.first.histories.clone(), (edge.to_owned(), index));
        let (_, _, run) = self.verification.once(Setting::FIRST, Some(expected), Some(wanted)).ok()?;
        let history = run.histories.get(edge)?;
        // Another one would be no witness of the first run's.
        history.text.clone().filter(|_| history.differs.is_none_or(|differs| differs > index))
    }
}

impl Verification<'_> {
    /// One run.
    fn once(
        &mut self,
        setting: Setting,
        expected: Option<Arc<Histories>>,
        wanted: Option<(String, usize)>,
    ) -> Result<(Map, usize, Run), Difference> {
        let made = (self.make)();
        let mut net = made.map_err(|error| difference(What::NoNetwork(error), setting))?;
        let map = Map::new(net.graph_mut());
        let nodes = net.graph_mut().nodes.len();
        let recorder = Recorder::new(self.probes.clone(), expected, wanted);
        net.record_with(recorder.clone());
        let result = setting.run(net);
        let histories = Arc::new(recorder.take());
        let (failed, looks) = match result {
            Ok(report) => (None, report.not_determinate),
            Err(error) => (Some(error.to_string()), Vec::new()),
        };
        Ok((map, nodes, Run { histories, failed, looks }))
    }
}
