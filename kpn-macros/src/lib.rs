//! The macros of `kpn`, which re-exports them: [`macro@node`] makes a node of a function or of a struct,
//! [`network!`] wires nodes to a network.
//!
//! Both go the same way: parse into a model that keeps the user's tokens, check everything, expand. What is wrong is
//! told all at once, each at the tokens that it is about, and what is right is expanded nonetheless.

mod names;
mod network;
mod node;
mod report;

use proc_macro::TokenStream;

/// Makes a node of a function, of an `async fn`, or of a struct that has a `fire`.
///
/// A node that *fires* is a function from the tokens of its inputs to those of its outputs. A *process*, an `async fn`,
/// has its ports in hand and reads and writes in an order of its own.
///
/// # On a function
///
/// Arguments are input ports, and the function is called once one token has come at each. What it returns goes to
/// the outputs. Arguments that are marked `#[param]` are fixed when the node is made.
///
/// ```
/// use kpn::prelude::*;
///
/// /// Amplifies.
/// #[node]
/// fn gain(x: f32, #[param] k: f32) -> f32 {
///     k * x
/// }
///
/// /// A sum and a difference.
/// #[node(outputs(sum, diff))]
/// fn butterfly(a: f32, b: f32) -> (f32, f32) {
///     (a + b, a - b)
/// }
///
/// // `call` fires outside a network; the function stays a function.
/// assert_eq!(gain(0.5).call(2.0), 1.0);
/// assert_eq!(butterfly().call(2.0, 1.0), (3.0, 1.0));
///
/// // The ports are the fields of what `add` returns.
/// let mut b = Builder::new();
/// let mix: ButterflyPorts = b.add(butterfly());
/// let one = b.add(source([1.0]));
/// let two = b.add(source([2.0]));
/// b.connect(one.out, mix.a);
/// b.connect(two.out, mix.b);
/// b.pipe(mix.sum, sink(|x| assert_eq!(x, 3.0)));
/// b.pipe(mix.diff, sink(|x| assert_eq!(x, -1.0)));
/// b.build()?.run()?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// For a function `gain` there are from then on: the function `gain`, which takes the parameters and returns the
/// node; the type `gain` of the node; and the struct `GainPorts` of its ports. All are as visible as the function
/// was. A module of the function's name can't stand beside it, since modules and types share their names.
///
/// ## Inputs
///
/// | argument | the edge carries | the function gets |
/// |---|---|---|
/// | `x: T` | `T` | the token |
/// | `x: &T` | `T` | a reference to it |
/// | `x: [T; N]`, `x: &[T; N]` | `T` | `N` tokens, see [rates](#rates) |
/// | `x: &[T]` | `T` | as many tokens as the options say |
///
/// A token moves between threads and lives as long as it likes: it is `Send` and `'static`. A function without inputs
/// is a *source* and is called again and again. A doc comment on an argument documents its port.
///
/// ## Parameters
///
/// | argument | the constructor takes | the function gets |
/// |---|---|---|
/// | `#[param] k: T` | `T` | a clone for each firing |
/// | `#[param] k: &T` | `T` | a reference |
/// | `#[param] k: &[T]` | `Vec<T>` | a slice |
/// | `#[param] k: &str` | `String` | a slice; so with `&Path` and `PathBuf`, `&OsStr`, `&CStr` |
/// | `#[param] k: &'a T` | `&'a T` | the reference; the node borrows for `'a` |
///
/// ```
/// use kpn::prelude::*;
///
/// #[node]
/// fn lookup(i: usize, #[param] table: &[f32]) -> Option<f32> {
///     table.get(i).copied()
/// }
///
/// /// References to generics and where-clauses work.
/// #[node]
/// fn apply<T, U, F>(x: &T, #[param] f: &F) -> U
/// where
///     F: Fn(&T) -> U,
/// {
///     f(x)
/// }
///
/// assert_eq!(lookup(vec![0.5, 0.25]).call(1), Some(0.25));
/// assert_eq!(apply(|x: &u8| x + 1).call(&1), 2);
/// ```
///
/// ## Outputs
///
/// | the function returns | outputs, each with what one firing gives |
/// |---|---|
/// | nothing, `()` | none: a *sink* |
/// | `T` | `out`: one token |
/// | `Option<T>` | `out`: one token or none |
/// | `Many<T>` | `out`: any number |
/// | `[T; N]` | `out`: `N` tokens, see [rates](#rates) |
/// | `(A, Option<B>, Many<C>)` | `out0`, `out1`, `out2`: one; one or none; any number |
/// | `Option<(A, B)>` | `out0`, `out1`: one each, or none at all |
/// | `Result<R, E>` | those of `R`, any of the above; an `Err` stops the network, and its error names the node |
///
/// In a source an outer `None` ends the stream, so `Option<T>` is one token a firing until then; a source that
/// returns no `Option` ends only when the network is stopped.
///
/// What counts is the type as it is written: the last part of its path is `Option`, `Many` or `Result`. An alias is
/// therefore always one token, and a way to send an `Option`, an array or a tuple as one.
///
/// ```
/// use kpn::prelude::*;
///
/// #[node]
/// fn even(x: u64) -> Option<u64> {
///     x.is_multiple_of(2).then_some(x)
/// }
///
/// #[node]
/// fn words(line: String) -> Many<String> {
///     line.split_whitespace().map(str::to_owned).collect()
/// }
///
/// #[node]
/// fn parse(line: String) -> Result<f64, std::num::ParseFloatError> {
///     line.parse()
/// }
///
/// #[node]
/// fn countdown(#[param] left: &std::sync::atomic::AtomicU32) -> Option<u32> {
///     use std::sync::atomic::Ordering::Relaxed;
///     left.load(Relaxed).checked_sub(1).inspect(|&n| left.store(n, Relaxed))
/// }
///
/// let mut seen = Vec::new();
/// network! { countdown(4.into()) -> map(u64::from) -> even() -> sink(|n| seen.push(n)) }?.run()?;
/// assert_eq!(seen, [2, 0]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// ## Rates
///
/// An array written out is a rate: a firing takes that many tokens, or gives that many, and the edge carries its
/// elements (synchronous dataflow, Lee and Messerschmitt 1987). An alias or a newtype of an array is one token. What
/// a type can't say the options do:
///
/// | written | a firing |
/// |---|---|
/// | `a: [T; 4]` | takes 4 tokens |
/// | `consume(a = 4)`, `a: &[T]` | takes 4 tokens |
/// | `consume(a = [1, 2])`, `a: &[T]` | takes 1 token, the next one 2, the next one 1 (cyclo-static dataflow, Bilsen et al. 1996) |
/// | `peek(a = 5)`, `a: &[T]` or `[T; 5]` | sees 5 tokens and takes the first of them; `T` is `Clone` |
/// | `peek(a = 5), consume(a = 2)` | sees 5 tokens and takes the first 2 |
/// | `-> [T; 3]` | gives 3 tokens |
/// | `produce(out = 2)`, `-> Many<T>` | gives 2 tokens; another number is a failure of the node |
/// | `produce(out = [2, 1])`, `-> Many<T>` | gives 2 tokens, the next one 1 |
///
/// A number is a literal, a constant, or, outside of a list, a const generic of the node. A phase may be 0 where
/// another one is not.
///
/// A firing needs all its tokens. Those that are left over when the stream ends are dropped, and the report counts them;
/// `partial = "error"` makes them a failure of the node.
///
/// ```
/// use kpn::prelude::*;
///
/// #[node]
/// fn decimate(pair: [f32; 2]) -> f32 {
///     (pair[0] + pair[1]) / 2.0
/// }
///
/// /// A finite impulse response: each output is a sum over the last taps.
/// #[node(peek(x = 3))]
/// fn fir(x: &[f32], #[param] taps: &[f32]) -> f32 {
///     x.iter().zip(taps).map(|(x, tap)| x * tap).sum()
/// }
///
/// /// Sends the first of two on and the second of three twice.
/// #[node(consume(x = [2, 3]), produce(out = [1, 2]))]
/// fn pick(x: &[f32]) -> Many<f32> {
///     match *x {
///         [first, _] => [first].into(),
///         [_, second, _] => [second, second].into(),
///         _ => Many::new(),
///     }
/// }
///
/// let (mut means, mut sums, mut picked) = (Vec::new(), Vec::new(), Vec::new());
/// let numbers = || source((0..5).map(|i| i as f32));
/// network! {
///     numbers() -> decimate() -> sink(|x| means.push(x));
///     numbers() -> fir(vec![1.0, 1.0, 2.0]) -> sink(|x| sums.push(x));
///     numbers() -> pick() -> sink(|x| picked.push(x));
/// }?
/// .run()?;
/// assert_eq!(means, [0.5, 2.5]);
/// assert_eq!(sums, [5.0, 9.0, 13.0]);
/// assert_eq!(picked, [0.0, 3.0, 3.0]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # On an `async fn`
///
/// A process has its ports as arguments, `&mut In<T>` and `&mut Out<T>`, and awaits them in whatever order its tokens ask
/// for. While it waits it holds no thread. It can't ask whether a token is there, so what it gives depends on its tokens
/// alone.
///
/// ```
/// use kpn::prelude::*;
///
/// /// Merges two ascending streams to one.
/// #[node]
/// async fn merge(a: &mut In<u64>, b: &mut In<u64>, out: &mut Out<u64>) -> Result<(), Closed> {
///     loop {
///         let next = match (a.peek().await, b.peek().await) {
///             (Some(x), Some(y)) if x <= y => a.recv().await,
///             (_, Some(_)) => b.recv().await,
///             (Some(_), None) => a.recv().await,
///             (None, None) => return Ok(()),
///         };
///         if let Some(next) = next {
///             out.send(next).await?;
///         }
///     }
/// }
///
/// let mut seen = Vec::new();
/// network! { { source([1, 4, 6]), source([2, 3, 7]) } -> merge() -> sink(|x| seen.push(x)) }?.run()?;
/// assert_eq!(seen, [1, 2, 3, 4, 6, 7]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// | argument | is |
/// |---|---|
/// | `x: &mut In<T>` | an input; what `T` is stands for one token, arrays included |
/// | `x: &mut Out<T>` | an output |
/// | `#[param] k: ..` | a parameter, as of a function; one by value is moved into the process, once |
///
/// It returns nothing or a `Result<(), E>`. `Err(Closed)` ends it as `Ok(())` does, any other error is a failure of the
/// node. When it returns its outputs end. What it holds while it waits is `Send`, and of a reference, as a `peek` gives it,
/// the token is `Sync`; where the token is generic the bounds say so, `T: kpn::node::Token + Sync`.
///
/// The process stays callable, as a part of another one: `merge().call(a, b, out).await?`. One that uses what is not
/// determinate says so: `#[node(nondet)]`.
///
/// # On an `impl`
///
/// State lives in a struct. `fn fire(&mut self, ..)` has the inputs as its other arguments and returns what a
/// function would; where the state doesn't change, `&self` does. The struct's value is the node, and its ports are
/// in `MeanPorts`. State may borrow; then the network lives no longer than what it borrows from.
///
/// `fn finish(&mut self)`, if there is one, is called once when the inputs have ended, and gives to the same
/// outputs. It may return `Option`, `Many` or `Result` where `fire` doesn't, or nothing at all. Other functions stay
/// what they are.
///
/// ```
/// use kpn::prelude::*;
///
/// #[derive(Default)]
/// struct Mean {
///     count: u64,
///     sum: f64,
/// }
///
/// #[node(outputs(mean))]
/// impl Mean {
///     fn fire(&mut self, x: f64) -> Option<f64> {
///         self.count += 1;
///         self.sum += x;
///         None
///     }
///
///     fn finish(&mut self) -> f64 {
///         self.sum / self.count as f64
///     }
/// }
///
/// let mut mean = 0.0;
/// network! { source([1.0, 2.0, 6.0]) -> Mean::default() -> sink(|x| mean = x) }?.run()?;
/// assert_eq!(mean, 3.0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Options
///
/// | option | says |
/// |---|---|
/// | `outputs(a, b)` | the outputs' names, all of them, in order |
/// | `consume(a = 4)`, `peek(a = 5)`, `produce(out = 2)` | tokens a firing, see [rates](#rates) |
/// | `partial = "error"` | tokens left over at the end are a failure; `"drop"`, as where nothing is said: they are dropped |
/// | `nondet` | of a process: its result depends on more than its tokens |
#[proc_macro_attribute]
pub fn node(options: TokenStream, item: TokenStream) -> TokenStream {
    node::expand(options.into(), item.into()).into()
}

/// Wires nodes to a network; sugar over `kpn::Builder`.
///
/// The macro is an expression: a `Result<Network, BuildError>`, or a `Result<Composite, BuildError>` where it has
/// open ports. A `?` inside it leaves the function around it.
///
/// ```
/// use kpn::prelude::*;
///
/// #[node]
/// fn gain(x: f32, #[param] k: f32) -> f32 {
///     k * x
/// }
///
/// let mut total = 0.0;
/// let net = network! { source((0..1_000).map(|i| i as f32)) -> gain(0.5) -> sink(|x: f32| total += x) }?;
/// net.run()?;
/// assert_eq!(total, 249_750.0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Chains
///
/// A chain is stages with arrows between them. A stage is an expression for a node, such as `gain(0.5)` or
/// `Mean::default()`; the name of a node; a port of a named node, `mix.a`, at an end of the chain; or a block:
///
/// - `{ a(), b() -> c(), mix.x }` has different members, which are chains themselves, twelve at most;
/// - `[ work(); N ]` has `N` of the same kind, for a constant `N`. The expression is evaluated `N` times. It may be
///   a chain as well: `[ a() -> b(); 4 ]`.
///
/// One arrow, one rule: equal numbers of outputs and inputs pair up in order, and one output feeds every member of a
/// block, each with a copy, so that its tokens must be `Clone`. As the start of an arrow each member of a block has
/// one output. A node with several inputs is never fed by copying: name its ports.
///
/// ```
/// use kpn::prelude::*;
///
/// #[node]
/// fn add(a: u32, b: u32) -> u32 {
///     a + b
/// }
///
/// let (mut sums, mut rows) = (Vec::new(), Vec::new());
/// network! {
///     source(0..3u32) -> { map(|x| x), map(|x| 10 * x) } -> add() -> sink(|x| sums.push(x));
///     source(0..3u32) -> [ map(|x| x + 1); 4 ] -> gather() -> sink(|x: [u32; 4]| rows.push(x));
/// }?
/// .run()?;
/// assert_eq!(sums, [0, 11, 22]);
/// assert_eq!(rows, [[1; 4], [2; 4], [3; 4]]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// A join takes the k-th token of each side, so that a member that drops tokens shifts it: in `{ map(|x| x), even()
/// } -> add()` the k-th token meets the k-th *even* one.
///
/// A closure whose body computes with its token may have to name the token's type: `map(|x: f32| x.sqrt())`.
///
/// # Names
///
/// `name = node;` declares a node, anywhere in the network, and gives it its name in reports unless it has one by
/// `.named(..)`. Other names stand for node values from outside, which a stage takes whole.
///
/// ```
/// use kpn::prelude::*;
///
/// #[node(outputs(sum, diff))]
/// fn butterfly(a: f32, b: f32) -> (f32, f32) {
///     (a + b, a - b)
/// }
///
/// let microphone = source([1.0, 2.0]);
/// let mut seen = Vec::new();
/// let net = network! {
///     mix = butterfly();
///     microphone -> mix.a;
///     source([0.5, 0.5]) -> mix.b;
///     mix.sum -[capacity: 256]-> sink(|x| seen.push(x));
///     mix.diff -> sink(|_| ());
/// }?;
/// net.run()?;
/// assert_eq!(seen, [1.5, 2.5]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Options of an arrow
///
/// | option | says |
/// |---|---|
/// | `capacity: n` | how many tokens may be in flight; before a block it holds for each of the edges |
/// | `initial: [x, y]` | which tokens lie on the edge before the network starts, the first to be read first |
///
/// # Loops
///
/// A cycle of arrows can start only where a token lies on it, so one of its arrows has `initial`. Where a process on the
/// cycle sends first there is nothing to lie on it, which `initial: []` says. A loop ends when what feeds it ends.
///
/// ```
/// use kpn::prelude::*;
///
/// #[node]
/// fn add(x: u32, before: u32) -> u32 {
///     x + before
/// }
///
/// let mut sums = Vec::new();
/// network! {
///     sum = add();
///     source([1, 2, 3, 4]) -> sum.x;
///     sum -> { map(|x: u32| x) -[initial: [0]]-> sum.before, sink(|x| sums.push(x)) };
/// }?
/// .run()?;
/// assert_eq!(sums, [1, 3, 6, 10]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Open ports
///
/// `in x: T;` and `out y: T;` make the network a node for others, a composite with the ports `x` and `y`. Inside,
/// arrows lead away from an `in` port and to an `out` port. It costs nothing at run time.
///
/// ```
/// use kpn::prelude::*;
///
/// #[node(outputs(sum, diff))]
/// fn butterfly(a: f32, b: f32) -> (f32, f32) {
///     (a + b, a - b)
/// }
///
/// fn fade(k: f32) -> Result<impl Stage<f32, f32>, BuildError> {
///     network! {
///         in  x: f32;
///         out y: f32;
///         mix = butterfly();
///         x -> { mix.a, map(move |x: f32| k * x) -> mix.b };
///         mix.sum -> sink(|_| ());
///         mix.diff -> y;
///     }
/// }
///
/// let mut seen = Vec::new();
/// network! { source([1.0, 2.0]) -> fade(0.25)?.named("fade") -> sink(|x| seen.push(x)) }?.run()?;
/// assert_eq!(seen, [0.75, 1.5]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # What is checked when
///
/// While compiling: types and numbers across each arrow, the ends of ports and their names, tokens without `Clone`
/// before a block, ports that are wired twice, names that are not there or not used, cycles of nodes without `initial`. By
/// `network! { .. }?`, all at once: ports that are not wired, cycles through composites that nothing can start, names
/// that stand twice, capacities that can't work.
#[proc_macro]
pub fn network(input: TokenStream) -> TokenStream {
    network::expand(input.into()).into()
}
