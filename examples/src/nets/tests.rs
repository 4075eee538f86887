use std::path::Path;

use super::*;
use crate::kernels::Filter;
use crate::plain;
use crate::sink::{Nothing, Tally};
use crate::source::Pattern;

const CLIPS: [&str; 3] = ["city-cc0.mp4", "bbb-cuts.mp4", "cup.mp4"];

/// A few frames of a clip: the programs' own runs take whole ones.
fn clip(name: &str) -> Source {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("clips").join(name);
    Source::open(&path.display().to_string()).unwrap().first(12)
}

fn tally(run: impl FnOnce(Output)) -> Tally {
    let output = Output::new(Box::new(Nothing));
    let tally = output.tally();
    run(output);
    tally.get()
}

/// Runs what `net` makes in every way, and expects what the plain loop gives.
fn same_everywhere(what: &str, plain: Tally, net: impl Fn(Output, &dyn Fn(Network<'_>))) {
    for capacity in [1, 2, 64] {
        for workers in [0, 1, 2, 4] {
            let run = |net: Network<'_>| {
                let net = net.with_capacity(capacity).unwrap();
                match workers {
                    0 => net.run_on(Private::new()).unwrap(),
                    n => net.run_on(Shared::new().workers(n)).unwrap(),
                };
            };
            let got = tally(|output| net(output, &run));
            assert_eq!(got, plain, "{what}: capacity {capacity}, {workers} workers (0 is private)");
        }
    }
}

#[test]
fn cellshade_is_the_plain_loop_everywhere() {
    for name in CLIPS {
        let plain = tally(|mut output| assert_eq!(plain::cellshade(clip(name), &mut output).unwrap(), 12));
        same_everywhere(name, plain, |output, run| run(cellshade(clip(name), output).unwrap()));
    }
}

#[test]
fn scenes_is_the_plain_loop_everywhere() {
    let name = "cup.mp4";
    let mut findings = None;
    let plain = tally(|mut output| findings = Some(plain::scenes(clip(name), &mut output, None).unwrap()));
    same_everywhere(name, plain, |output, run| {
        let mut found = Found::default();
        run(scenes(clip(name), output, None, &mut found).unwrap());
        assert_eq!(Some(found.into_findings()), findings);
    });
}

#[test]
fn frames_is_the_plain_loop_everywhere() {
    let pattern = Pattern { width: 61, height: 47, frames: 20 };
    for wide in [1, 3, 8] {
        let plain = tally(|mut output| {
            assert_eq!(plain::frames(pattern.into_source(), &mut output, Filter::Blur, wide).unwrap(), 20);
        });
        same_everywhere(&format!("{wide} bands"), plain, |output, run| {
            run(frames(pattern.into_source(), output, Filter::Blur, wide).unwrap());
        });
    }
}

#[test]
fn an_error_names_its_node_and_keeps_what_came_before() {
    let pattern = Pattern { width: 32, height: 32, frames: 5 };
    let meta = pattern.into_source().meta();
    let broken = (0..5)
        .map(move |i| if i < 4 { Ok(pattern.frame(i)) } else { Err(VideoError::malformed("film", "a broken frame")) });
    let output = Output::new(Box::new(Nothing));
    let tally = output.tally();
    let error = cellshade(Source::new(meta, broken), output).unwrap().run().unwrap_err().to_string();
    assert!(error.contains("read") && error.contains("film is broken: a broken frame"), "{error}");
    assert_eq!(tally.get().frames, 4);
}
