//! Networks that grow while they run.

use kpn::prelude::*;
use kpn_tests::everywhere;

type Failed = Box<dyn std::error::Error + Send + Sync>;

#[node]
fn filter(x: u64, #[param] prime: u64) -> Option<u64> {
    (!x.is_multiple_of(prime)).then_some(x)
}

#[node]
async fn sift(numbers: &mut In<u64>, primes: &mut Out<u64>) -> Result<(), Failed> {
    while let Some(prime) = numbers.recv().await {
        primes.send(prime).await?;
        numbers.through(filter(prime))?;
    }
    Ok(())
}

fn primes(below: u64) -> Vec<u64> {
    (2..below).filter(|n| (2..*n).take_while(|d| d * d <= *n).all(|d| n % d != 0)).collect()
}

#[test]
fn a_sieve_adds_a_filter_for_every_prime() {
    for capacity in [1, 2, 64] {
        everywhere(60, move |on| {
            let mut seen = Vec::new();
            let net = network! { source(2..300u64) -> sift() -> sink(|p| seen.push(p)) };
            let report =
                on.run(net.and_then(|net| net.with_capacity(capacity)).expect("valid")).expect("no node fails");
            let expected = primes(300);
            assert_eq!(seen, expected);
            assert_eq!(report.edges.len(), 2 + expected.len());
            assert_eq!(report.nodes.len(), 3 + expected.len());
            let last =
                report.edges.iter().find(|edge| edge.name.starts_with("source.out")).expect("the source has an edge");
            assert_eq!(last.name, "source.out -> sift/filter#1.x");
        });
    }
}

/// Adds one to what it is given, twice, by a network of two nodes.
fn plus_two() -> Result<impl Stage<u64, u64>, BuildError> {
    network! {
        in x: u64;
        out y: u64;
        x -> map(|x: u64| x + 1) -> map(|x: u64| x + 1) -> y;
    }
}

/// Splits what it is given and joins it again: it needs two edges at its start.
fn doubled() -> Result<impl Stage<u64, u64>, BuildError> {
    network! {
        in x: u64;
        out y: u64;
        x -> [ map(|x: u64| x); 2 ] -> gather() -> map(|x: [u64; 2]| x[0] + x[1]) -> y;
    }
}

#[node]
async fn changing(x: &mut In<u64>, y: &mut Out<u64>) -> Result<(), Failed> {
    for i in 0..40 {
        let Some(token) = x.recv().await else { return Ok(()) };
        y.send(token).await?;
        match i {
            9 => x.through(plus_two()?)?,
            19 => y.through(plus_two()?)?,
            29 => x.through(doubled()?)?,
            _ => {}
        }
    }
    y.through(doubled()?)?;
    while let Some(token) = x.recv().await {
        y.send(token).await?;
    }
    Ok(())
}

#[test]
fn composites_come_before_inputs_and_behind_outputs() {
    for capacity in [1, 3, 64] {
        everywhere(60, move |on| {
            let (mut one, mut two) = (Vec::new(), Vec::new());
            let net = network! {
                source(0..60u64) -> changing() -> { sink(|x| one.push(x)), sink(|x| two.push(x)) };
            };
            on.run(net.and_then(|net| net.with_capacity(capacity)).expect("valid")).expect("no node fails");
            let expected: Vec<u64> = (0..60u64)
                .map(|i| {
                    let mut x = i;
                    if i > 9 {
                        x += 2;
                    }
                    if i > 29 {
                        x *= 2;
                    }
                    if i >= 40 {
                        x *= 2;
                    }
                    if i > 19 {
                        x += 2;
                    }
                    x
                })
                .collect();
            assert_eq!(one, expected);
            assert_eq!(two, expected);
        });
    }
}

#[node]
async fn hires(out: &mut Out<u64>) -> Result<(), Failed> {
    let mut numbers = kpn::grow::supply(source(0..100u64))?;
    let (mut feed, mut result) = kpn::grow::stage(map(|x: u64| 3 * x))?;
    while let Some(x) = numbers.recv().await {
        feed.send(x).await?;
        let Some(x) = result.recv().await else { break };
        out.send(x).await?;
    }
    let mut log = kpn::grow::drain(sink(|x: u64| assert_eq!(x, 7)))?;
    log.send(7).await?;
    Ok(())
}

#[test]
fn a_process_makes_sources_stages_and_sinks() {
    everywhere(60, |on| {
        let mut seen = Vec::new();
        let net = network! { hires() -> sink(|x| seen.push(x)) }.expect("valid");
        on.run(net).expect("no node fails");
        assert_eq!(seen, (0..100).map(|x| 3 * x).collect::<Vec<_>>());
    });
}

#[test]
fn outside_of_a_process_nothing_grows() {
    let error = kpn::grow::supply(source(0..1u8)).expect_err("there is no process");
    assert!(matches!(error, kpn::grow::GrowError::Outside), "{error}");
}

#[node]
async fn mistaken(out: &mut Out<u64>) -> Result<(), Failed> {
    out.send(1).await?;
    let _ = kpn::grow::stage(plus_two()?.named("a\nb"))?;
    Ok(())
}

#[test]
fn what_is_no_network_is_refused_and_the_process_named() {
    everywhere(20, |on| {
        let mut seen = Vec::new();
        let net = network! { mistaken() -> sink(|x| seen.push(x)) }.expect("valid");
        let error = on.run(net).expect_err("a name with a line break");
        assert_eq!(error.node(), Some("mistaken"));
        assert_eq!(seen, [1]);
    });
}

#[test]
fn an_abort_ends_what_was_added() {
    for workers in [1, 2] {
        let net = network! { source(2u64..) -> sift() -> sink(|_| ()) }.expect("valid");
        let running = net.start_on(Shared::new().workers(workers)).expect("threads");
        while running.snapshot().edges.len() < 20 {
            std::thread::yield_now();
        }
        running.abort();
        assert!(matches!(running.wait(), Err(kpn::RunError::Aborted)));
    }
}
