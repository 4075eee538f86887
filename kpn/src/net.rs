//! A network that is ready to run, and one that runs.

use crate::analysis::Analysis;
use crate::channel::{Watch, tap};
use crate::config::{Executor, Place, default_place};
use crate::error::BuildError;
use crate::failure::{RunError, StartError};
use crate::graph::{End, Graph};
use crate::history::Recorder;
use crate::node::Token;
use crate::node::rate::carries;
use crate::plan::{Parts, Plan};
use crate::report::Report;
use crate::runtime::launch::launch;
use crate::runtime::life::Net;
use crate::runtime::{Inside, blocking};
use crate::stall::Stall;
use crate::sync::{Arc, Duration, Instant};
use crate::tap::{Latest, TapError};

/// A checked network, ready to run once. It may borrow: [`Network::run`] ends before it returns.
#[must_use = "a network does nothing until it is run"]
pub struct Network<'env> {
    graph: Graph,
    parts: Parts<'env>,
    stall: Stall,
    /// Which edges are watched for stalls, where that is not left to the graph; for measurements.
    watch: Option<bool>,
}

impl std::fmt::Debug for Network<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Network").field("graph", &self.graph).finish_non_exhaustive()
    }
}

impl<'env> Network<'env> {
    pub(crate) fn new(graph: Graph, parts: Parts<'env>) -> Self {
        Self { graph, parts, stall: Stall::default(), watch: None }
    }

    /// Sets the capacity of the edges that were given none; where this isn't called it is as
    /// [`DEFAULT_CAPACITY`](crate::DEFAULT_CAPACITY) says.
    /// An edge whose ports need more to go on gets that, as far as their rates tell.
    ///
    /// # Errors
    ///
    /// For 0, and for more tokens than memory can hold.
    pub fn with_capacity(mut self, tokens: usize) -> Result<Self, BuildError> {
        crate::graph::check_default(&self.graph, tokens)?;
        self.graph.fit(Some(tokens));
        Ok(self)
    }

    /// What to do where bounded edges stall the network: an error where nothing is said.
    ///
    /// ```
    /// use kpn::node::NodeInfo;
    /// use kpn::prelude::*;
    ///
    /// // Sends two tokens to `y` before the one to `x`; its reader wants them the other way round.
    /// let net = || {
    ///     let mut b = Builder::new();
    ///     let two = NodeInfo { name: "two", inputs: &[], outputs: &["x", "y"] };
    ///     let ((), (x, y)) = b.process(two, |(), (mut x, mut y): (Out<u32>, Out<u32>)| async move {
    ///         y.send_many([1, 2]).await?;
    ///         x.send(0).await
    ///     });
    ///     let wants = NodeInfo { name: "wants", inputs: &["x", "y"], outputs: &[] };
    ///     let ((x_in, y_in), ()) = b.process(wants, |(mut x, mut y): (In<u32>, In<u32>), ()| async move {
    ///         assert_eq!((x.recv().await, y.recv().await, y.recv().await), (Some(0), Some(1), Some(2)));
    ///     });
    ///     b.connect(x, x_in).capacity(1);
    ///     b.connect(y, y_in).capacity(1);
    ///     b.build()
    /// };
    /// let error = net()?.run().unwrap_err();
    /// assert!(error.to_string().contains("`two` needs 1 space from `wants` on `two.y -> wants.y`"), "{error}");
    ///
    /// let report = net()?.on_stall(Stall::Grow { max_bytes: 1024 }).run()?;
    /// assert_eq!((report.growths[0].from, report.growths[0].to), (1, 2));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn on_stall(mut self, stall: Stall) -> Self {
        self.stall = stall;
        self
    }

    /// Watches all edges for stalls, or none, whatever the graph asks for: for measuring what that costs.
    #[doc(hidden)]
    pub fn watched(mut self, all: bool) -> Self {
        self.watch = Some(all);
        self
    }

    /// The newest token of an output, `node.port`, to be looked at from outside while the network runs. That never slows the network
    /// down, but for a clone of each token while a [`Latest`] lives.
    ///
    /// ```
    /// use kpn::prelude::*;
    ///
    /// let mut net = network! { source(0..1000u32) -> map(|x| 2 * x).named("twice") -> sink(|_: u32| ()) }?;
    /// let newest = net.latest::<u32>("twice.out")?;
    /// assert_eq!(newest.get(), None);
    /// net.run()?;
    /// assert_eq!(newest.get(), Some(1998));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Where no output has this name, with a list of those that there are, or where its tokens have another type.
    pub fn latest<T: Token + Clone>(&mut self, output: &str) -> Result<Latest<T>, TapError> {
        let all: Vec<_> = self.graph.outputs().collect();
        let token = |(node, port): End| self.graph.nodes[node].outputs[port].token;
        let carries = |end: End| {
            let edge = self.graph.edges.iter().position(|edge| edge.from == Some(end));
            edge.is_some_and(|edge| carries::<T>(self.parts.makes[edge]))
        };
        let Some((end, _)) = all.iter().find(|(_, name)| name == output) else {
            let outputs = all.iter().map(|(end, name)| (name.clone(), token(*end))).collect();
            return Err(TapError::NoOutput { asked: output.to_owned(), outputs });
        };
        if !carries(*end) {
            let outputs = all.iter().filter(|(end, _)| carries(*end)).map(|(_, name)| name.clone()).collect();
            let (asked, has) = (std::any::type_name::<T>(), token(*end));
            return Err(TapError::OtherType { output: output.to_owned(), asked, has, outputs });
        }
        let (tap, reader) = tap::<T>();
        let watch: Box<dyn Watch<T>> = Box::new(tap);
        self.parts.taps.entry(*end).or_default().push(Box::new(watch));
        self.graph.tapped.insert(*end);
        Ok(Latest::new(reader))
    }

    /// The names of all nodes, in the order in which they were declared.
    pub fn node_names(&self) -> impl Iterator<Item = &str> {
        self.graph.nodes.iter().map(|node| &*node.name)
    }

    /// What is known of the network before it runs: how often its nodes fire, what its edges must hold, in which order
    /// it can go on for ever, and whether it is determinate.
    ///
    /// ```
    /// use kpn::prelude::*;
    ///
    /// #[node]
    /// fn decimate(pair: [f32; 2]) -> f32 {
    ///     (pair[0] + pair[1]) / 2.0
    /// }
    ///
    /// let net = network! { source([1.0, 2.0]) -> decimate() -> sink(|_: f32| ()) }?;
    /// let analysis = net.analysis();
    /// assert_eq!(analysis.node("source").and_then(|node| node.firings), Some(2));
    /// let schedule = analysis.parts[0].schedule.as_ref().expect("it can go on for ever");
    /// assert_eq!(analysis.notation(schedule), "2 source, decimate, sink");
    /// println!("{analysis}");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn analysis(&self) -> Analysis {
        self.graph.analysis()
    }

    /// The graph in the language of Graphviz.
    pub fn dot(&self) -> String {
        crate::dot::dot(&self.graph)
    }

    /// The graph in the language of Mermaid.
    pub fn mermaid(&self) -> String {
        crate::dot::mermaid(&self.graph)
    }

    /// Runs on the default pool, one for the process and sized to the machine, until the sources have ended.
    ///
    /// # Errors
    ///
    /// Where a node failed or panicked, or no thread can be had. Whatever happened, all that could drain has
    /// drained, every node was dropped, and nothing that the network borrowed is in use any more.
    pub fn run(self) -> Result<Report, RunError> {
        self.run_in(default_place)
    }

    /// The same on an executor: [`Shared`](crate::Shared), [`Private`](crate::Private),
    /// [`Deterministic`](crate::Deterministic), or a
    /// [`ThreadPool`](crate::ThreadPool).
    ///
    /// # Errors
    ///
    /// As [`Network::run`].
    pub fn run_on(self, executor: impl Executor) -> Result<Report, RunError> {
        self.run_in(|| executor.place())
    }

    fn run_in(self, place: impl FnOnce() -> Result<Place, StartError>) -> Result<Report, RunError> {
        // On a worker another thread takes over first: this one will wait.
        blocking(|| {
            let net = launch(self.plan(), place()?, Inside::lineage())?;
            // Nothing between the launch and the end of this wait can panic or return, so what the bodies
            // borrow outlives them.
            net.wait_until_ended();
            finish(&net)
        })?
    }

    pub(crate) fn graph_mut(&mut self) -> &mut Graph {
        &mut self.graph
    }

    pub(crate) fn set_stall(&mut self, stall: Stall) {
        self.stall = stall;
    }

    pub(crate) fn record_with(&mut self, recorder: Arc<Recorder>) {
        self.parts.recorder = Some(recorder);
    }

    fn plan(self) -> Plan<'env> {
        let mut plan = Plan::new(&self.graph, self.parts, self.stall);
        if let Some(all) = self.watch {
            plan.edges.iter_mut().for_each(|edge| edge.watched = all);
        }
        plan
    }
}

impl Network<'static> {
    /// Starts in the background, on the default pool.
    ///
    /// # Errors
    ///
    /// Where no thread can be had.
    pub fn start(self) -> Result<Running, StartError> {
        Ok(Running { net: launch(self.plan(), default_place()?, Vec::new())? })
    }

    /// The same on an executor.
    ///
    /// # Errors
    ///
    /// As [`Network::start`].
    pub fn start_on(self, executor: impl Executor) -> Result<Running, StartError> {
        Ok(Running { net: launch(self.plan(), executor.place()?, Vec::new())? })
    }
}

/// A network that runs in the background. Dropped, it aborts the network and does not wait for it.
#[must_use = "dropping this aborts the network"]
pub struct Running {
    net: Arc<Net>,
}

impl std::fmt::Debug for Running {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Running").field("ended", &self.net.has_ended()).finish_non_exhaustive()
    }
}

impl Running {
    /// Stops the sources and inlets; what is under way drains. Does not wait, so a node may call it too.
    pub fn stop(&self) {
        self.net.stop();
    }

    /// Makes every node drop what it has and end; a node that is firing finishes that firing. Does not wait.
    pub fn abort(&self) {
        self.net.abort();
    }

    /// A handle that stops or aborts this network from elsewhere, a node included.
    pub fn stopper(&self) -> Stopper {
        Stopper { net: self.net.clone() }
    }

    /// Whether all nodes have ended.
    pub fn has_ended(&self) -> bool {
        self.net.has_ended()
    }

    /// The figures so far; cheap enough to be read every 100 ms, and no lock that a node takes.
    pub fn snapshot(&self) -> Report {
        Report::of(&self.net)
    }

    /// Waits for the end.
    ///
    /// # Errors
    ///
    /// Where a node failed, the network was aborted, or one of its own nodes calls this: that node can't outlive
    /// its own end, and as the handle goes with this call, the network is aborted.
    pub fn wait(self) -> Result<Report, RunError> {
        if Inside::is(self.net.id) {
            return Err(RunError::WaitInside);
        }
        blocking(|| self.net.wait_until_ended())?;
        finish(&self.net)
    }

    /// Waits for the end, but not longer than `time`. Where that is over first the network runs on, and this
    /// can be called again.
    ///
    /// # Errors
    ///
    /// As [`Running::wait`], and [`RunError::TimedOut`] with the nodes that are firing just then. The
    /// failures of nodes are handed out once.
    pub fn wait_timeout(&mut self, time: Duration) -> Result<Report, RunError> {
        if Inside::is(self.net.id) {
            return Err(RunError::WaitInside);
        }
        let ended = match Instant::now().checked_add(time) {
            Some(deadline) => blocking(|| self.net.wait_until(deadline))?,
            // Further away than the clock reaches.
            None => blocking(|| self.net.wait_until_ended()).map(|()| true)?,
        };
        if ended {
            finish(&self.net)
        } else {
            Err(RunError::TimedOut { firing: self.net.firing(), full: self.net.full() })
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.net.abort();
    }
}

/// Stops or aborts a running network; made by [`Running::stopper`]. It keeps nothing running.
#[derive(Clone)]
pub struct Stopper {
    net: Arc<Net>,
}

impl std::fmt::Debug for Stopper {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Stopper")
    }
}

impl Stopper {
    /// As [`Running::stop`].
    pub fn stop(&self) {
        self.net.stop();
    }

    /// As [`Running::abort`].
    pub fn abort(&self) {
        self.net.abort();
    }
}

/// What an ended network came to; its threads are joined.
fn finish(net: &Arc<Net>) -> Result<Report, RunError> {
    net.join();
    net.verdict()?;
    Ok(Report::of(net))
}
