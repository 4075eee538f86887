use std::f64::consts::TAU;

use kpn::DeadlockKind;
use kpn::prelude::*;

use super::*;
use crate::Failure;
use crate::cli::{Executor, Run};

/// Every way to run a network: on pools of 1, 2 and 4, on private threads, and on one thread by seeded choices.
fn ways() -> impl Iterator<Item = Run> {
    let pools = [1, 2, 4].map(|workers| Run { workers: Some(workers), ..Run::default() });
    let private = Run { executor: Executor::Private, ..Run::default() };
    let seeds = (0..3).map(|seed| Run { executor: Executor::Deterministic, seed: Some(seed), ..Run::default() });
    pools.into_iter().chain([private]).chain(seeds)
}

/// Runs what `net` makes in every way, and expects what the plain computation gives. Edges hold 1, 2 and 64 tokens, or
/// `least` where they must hold more.
fn same_everywhere<T: PartialEq + std::fmt::Debug>(
    what: &str,
    plain: &T,
    least: usize,
    net: impl Fn(&dyn Fn(Network<'_>)) -> T,
) {
    let mut capacities = [1, 2, 64].map(|capacity| least.max(capacity)).to_vec();
    capacities.dedup();
    for capacity in capacities {
        for way in ways() {
            let run = |net: Network<'_>| {
                if let Err(error) = way.network(net, Some(capacity)) {
                    panic!("{what}: capacity {capacity}, {way:?}: {error}");
                }
            };
            let got = net(&run);
            let shown = |result: &T| format!("{:.300}", format!("{result:?}"));
            assert!(got == *plain, "{what}: capacity {capacity}, {way:?}: {} is not {}", shown(&got), shown(plain));
        }
    }
}

#[test]
fn many_tokens_are_shown_short() {
    assert_eq!(shown::<u8>(&[]), "");
    assert_eq!(shown(&[1; 20]), [1; 20].map(|x| x.to_string()).join(" "));
    assert_eq!(shown(&(1..=21).collect::<Vec<_>>()), "1 2 3 4 5 6 7 8 9 10 … 21 (21 in all)");
    assert_eq!(shown_rounded(&[-1e-9, 0.123_456_7, -2.5]), "0 0.123457 -2.5");
}

#[test]
fn kahn1974_has_one_history() {
    for count in [0, 1, 2, 999, 1000] {
        same_everywhere("kahn1974", &plain::kahn1974(count), 1, |run| {
            let mut history = Vec::new();
            run(kahn1974(count, &mut history).unwrap());
            history
        });
    }
}

#[test]
fn hamming_is_the_list_of_three_pointers() {
    for count in [0, 1, 2, 1_000, 10_000] {
        same_everywhere("hamming", &plain::hamming(count), 1, |run| {
            let mut numbers = Vec::new();
            run(hamming(count, &mut numbers).unwrap());
            numbers
        });
    }
}

#[test]
fn hamming_grows_where_edges_are_small() {
    let mut numbers = Vec::new();
    let report = hamming(HAMMING_MOST, &mut numbers).unwrap().run_on(Shared::new().workers(1)).unwrap();
    assert_eq!(numbers, plain::hamming(HAMMING_MOST));
    assert_eq!(numbers.last(), Some(&290_142_196_707_511_001_929_482_240_000_000_000_000));
    assert!(!report.growths.is_empty());
    assert!(report.growths.iter().all(|growth| growth.from < growth.to), "{:?}", report.growths);
}

#[test]
fn merge_sorted_keeps_every_token() {
    let mut cases: Vec<Vec<Vec<u64>>> = (1..=9).map(|number| streams(number, 200)).collect();
    cases.push(vec![Vec::new(); 3]);
    cases.push(vec![vec![7; 100], Vec::new(), vec![7; 3], vec![6, 7, 8]]);
    for streams in cases {
        same_everywhere("merge_sorted", &plain::merge_sorted(&streams), 1, |run| {
            let mut merged = Vec::new();
            run(merge_sorted(streams.clone(), &mut merged).unwrap());
            merged
        });
    }
}

#[test]
fn the_streams_to_merge_are_hard_cases() {
    let streams = streams(5, 1_000);
    assert_eq!(streams.iter().map(Vec::len).collect::<Vec<_>>(), [0, 250, 500, 750, 1_000]);
    assert!(streams.iter().all(|stream| stream.is_sorted()));
    let merged = plain::merge_sorted(&streams);
    assert!(merged.windows(2).any(|two| two[0] == two[1]), "equal keys");
}

#[test]
fn switch_select_keeps_the_order() {
    for last in [0, 1, 2, 1_000] {
        same_everywhere("switch_select", &plain::switch_select(1..=last), 1, |run| {
            let mut steps = Vec::new();
            run(switch_select(1..=last, &mut steps).unwrap());
            steps
        });
    }
}

/// Bits, since a sum in another order is another result.
fn bits(signal: &[f64]) -> Vec<u64> {
    signal.iter().map(|x| x.to_bits()).collect()
}

/// Numbers between -1 and 1 without a pattern.
fn noise(samples: usize) -> Vec<f64> {
    let mut state = 1u32;
    let mut next = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        f64::from(state.cast_signed()) / f64::from(1u32 << 31)
    };
    (0..samples).map(|_| next()).collect()
}

#[test]
fn iir_is_the_plain_loop_to_the_bit() {
    let signal = noise(1_000);
    for cutoff in [0.01, 0.1, 0.4] {
        let sections = butterworth(cutoff);
        // A delay of two samples takes room for two.
        same_everywhere("iir", &bits(&plain::iir(&signal, &sections)), 2, |run| {
            let mut filtered = Vec::new();
            run(iir(&signal, &sections, &mut filtered).unwrap());
            bits(&filtered)
        });
    }
}

#[test]
fn the_low_pass_halves_the_power_at_its_cutoff() {
    for (frequency, power) in [(0.0, 1.0), (0.01, 1.0), (0.1, 0.5), (0.3, 0.0)] {
        let sine: Vec<f64> = (0..10_000).map(|i| (TAU * frequency * f64::from(i)).cos()).collect();
        // What it does at the start is no matter.
        let settled = |signal: &[f64]| signal[1_000..].iter().map(|x| x * x).sum::<f64>();
        let found = settled(&plain::iir(&sine, &butterworth(0.1))) / settled(&sine);
        assert!((found - power).abs() < 1e-3, "{frequency}: {found}");
    }
}

/// Frames of complex noise.
fn frames(points: usize, frames: usize) -> Vec<Vec<Complex>> {
    let noise = noise(2 * points * frames);
    let points_of = |frame: &[f64]| frame.chunks(2).map(|x| Complex { re: x[0], im: x[1] }).collect();
    noise.chunks(2 * points).map(points_of).collect()
}

#[test]
fn fft_is_the_recursive_one_to_the_bit() {
    for points in [1, 2, 8, 16, 32, 64] {
        let frames = frames(points, 20);
        let plain: Vec<_> = frames.iter().map(|frame| plain::fft(frame)).collect();
        same_everywhere(&format!("fft of {points}"), &plain, 1, |run| {
            let mut lines = vec![Vec::new(); points];
            run(fft(&frames, &mut lines).unwrap());
            (0..frames.len()).map(|frame| lines.iter().map(|line| line[frame]).collect()).collect()
        });
        for (frame, fft) in frames.iter().zip(plain) {
            let error = plain::dft(frame).iter().zip(fft).map(|(&x, y)| (x - y).abs()).fold(0.0, f64::max);
            assert!(error < 1e-12 * points as f64, "{points} points: the definition is {error:e} away");
        }
    }
}

#[test]
fn parks_counts_where_there_is_room() {
    let plain: Vec<u64> = (1..=500).collect();
    same_everywhere("parks", &plain, 4, |run| {
        let mut numbers = Vec::new();
        run(parks(500, 5, &mut numbers).unwrap());
        numbers
    });
    same_everywhere("parks that grows", &plain, 1, |run| {
        let mut numbers = Vec::new();
        run(parks(500, 5, &mut numbers).unwrap().on_stall(Stall::Grow { max_bytes: 1 << 10 }));
        numbers
    });
}

#[test]
fn parks_stalls_where_there_is_no_room() {
    for capacity in [None, Some(1), Some(2), Some(3)] {
        for way in ways() {
            let mut numbers = Vec::new();
            let error = way.network(parks(500, 5, &mut numbers).unwrap(), capacity).unwrap_err();
            let Failure::Run(RunError::Deadlock { first, others, .. }) = error else { panic!("{error}") };
            assert!(others.is_empty(), "{others:?}");
            assert_eq!(
                first.kind,
                DeadlockKind::Artificial {
                    edge: "split.others -> merge.b".into(),
                    needed: capacity.unwrap_or(1) + 1,
                    max_bytes: None
                }
            );
        }
    }
}

/// The nodes on the cycle of each case, and whether larger edges would help.
const VERDICTS: [(Case, &[&str], bool); 3] = [
    (Case::Crossed, &["put", "get"], true),
    (Case::Ring, &["b", "a", "c"], false),
    (Case::Parts, &["put", "get"], true),
];

#[test]
fn a_dead_part_is_named_wherever_it_runs() {
    for (case, nodes, artificial) in VERDICTS {
        for way in ways() {
            let mut rest = Vec::new();
            let error = way.network(local_deadlock(case, &mut rest).unwrap(), None).unwrap_err();
            let Failure::Run(RunError::Deadlock { first, others, .. }) = error else { panic!("{case}: {error}") };
            assert_eq!(first.cycle.iter().map(|blocked| &*blocked.node).collect::<Vec<_>>(), nodes, "{case}");
            assert_eq!(matches!(first.kind, DeadlockKind::Artificial { .. }), artificial, "{case}: {first}");
            assert!(others.is_empty(), "{case}: {others:?}");
        }
    }
}

#[test]
fn a_starved_part_is_not_dead() {
    let plain: Vec<u64> = (0..20).collect();
    same_everywhere("starved", &plain, 1, |run| {
        let mut rest = Vec::new();
        run(local_deadlock(Case::Starved, &mut rest).unwrap());
        rest
    });
}

#[test]
fn sieve_finds_the_primes() {
    for count in [0, 1, 10, 300] {
        same_everywhere("sieve", &plain::primes(count), 1, |run| {
            let mut primes = Vec::new();
            run(sieve(count, &mut primes).unwrap());
            primes
        });
    }
}

#[test]
fn sieve_holds_two_thousand_processes_on_one_worker() {
    let mut primes = Vec::new();
    let report = sieve(2_000, &mut primes).unwrap().run_on(Shared::new().workers(1)).unwrap();
    assert_eq!(primes, plain::primes(2_000));
    assert_eq!(primes.last(), Some(&17_389));
    // The source, the sift, the sink, and a filter for each prime.
    assert_eq!(report.nodes.len(), 2_003);
}

#[test]
fn cd2dat_is_the_plain_chain_to_the_bit() {
    for samples in [0, 147, 4_410] {
        let cd = sweep(samples);
        same_everywhere("cd2dat", &bits(&plain::cd2dat(&cd)), 1, |run| {
            let mut dat = Vec::new();
            run(cd2dat(cd.clone(), &mut dat).unwrap());
            assert_eq!(dat.len(), samples / 147 * 160);
            bits(&dat)
        });
    }
}

#[test]
fn cd2dat_keeps_a_tone() {
    for frequency in [100.0, 1_000.0, 10_000.0] {
        let tone = |seconds: f64| (TAU * frequency * seconds).sin();
        let dat = plain::cd2dat(&(0..4_410).map(|i| tone(f64::from(i) / 44_100.0)).collect::<Vec<_>>());
        // Each step delays by half of its taps, which stand closer than its samples.
        let delay = |(up, rate): (usize, f64)| (up * polyphase::TAPS - 1) as f64 / 2.0 / (up as f64 * rate);
        let late: f64 = [(2, 44_100.0), (2, 88_200.0), (8, 58_800.0), (5, 67_200.0)].map(delay).iter().sum();
        let error = |(i, &x): (usize, &f64)| (x - tone(i as f64 / 48_000.0 - late)).abs();
        let worst = dat.iter().enumerate().skip(500).map(error).fold(0.0, f64::max);
        assert!(worst < 1e-3, "{frequency} Hz: {worst:e}");
    }
}

#[test]
fn cd2dat_repeats_as_the_books_say() {
    let mut dat = Vec::new();
    let analysis = cd2dat(Vec::new(), &mut dat).unwrap().analysis();
    let firings: Vec<_> = analysis.nodes.iter().map(|node| node.firings.unwrap()).collect();
    assert_eq!(firings, [147, 147, 98, 28, 32, 160]);
}

/// What a network may fill for ever.
fn kept<T: Default>() -> &'static mut T {
    Box::leak(Box::default())
}

#[test]
fn every_edge_of_every_program_has_one_history() {
    use kpn::verify::determinate;

    let signal: &[f64] = Box::leak(noise(200).into_boxed_slice());
    let frames: &[Vec<Complex>] = Box::leak(frames(8, 10).into_boxed_slice());
    determinate(|| kahn1974(200, kept())).assert();
    determinate(|| hamming(500, kept())).assert();
    determinate(|| sieve(30, kept())).assert();
    determinate(|| merge_sorted(streams(5, 100), kept())).assert();
    determinate(|| switch_select(1..=200, kept())).assert();
    determinate(|| iir(signal, &butterworth(0.1), kept())).assert();
    determinate(|| fft(frames, Box::leak(vec![Vec::new(); 8].into_boxed_slice()))).assert();
    determinate(|| cd2dat(sweep(441), kept())).assert();
    determinate(|| parks(200, 5, kept()).map(|net| net.on_stall(Stall::Grow { max_bytes: 1 << 10 }))).assert();
    determinate(|| local_deadlock(Case::Starved, kept())).assert();
}
