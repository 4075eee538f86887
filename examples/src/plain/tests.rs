use std::path::Path;

use super::*;
use crate::kernels::{Cuts, Filter};
use crate::sink::{FrameHash, Nothing, Output};
use crate::source::{Pattern, Source};

fn clip(name: &str) -> Source {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("clips").join(name);
    Source::open(&path.display().to_string()).unwrap()
}

/// The clips' known cuts, of which each is to be found within a frame, and no other.
fn check_cuts(name: &str, known: &[u64]) {
    let mut cuts = Cuts::default();
    let verdicts = clip(name).map(|frame| cuts.next(&frame.unwrap()));
    let found: Vec<u64> = verdicts.filter(|v| v.cut).map(|v| v.index).collect();
    let near = found.len() == known.len() && found.iter().zip(known).all(|(f, k)| f.abs_diff(*k) <= 1);
    assert!(near, "{name}: found {found:?}, known {known:?}");
}

#[test]
fn cuts_of_the_city() {
    check_cuts("city-cc0.mp4", &[116]);
}

#[test]
fn cuts_of_the_rabbit() {
    check_cuts("bbb-cuts.mp4", &[44, 148, 190, 227, 261, 327, 379]);
}

#[test]
fn the_cup_has_no_cut() {
    check_cuts("cup.mp4", &[]);
}

fn hash_of(run: impl FnOnce(&mut Output)) -> FrameHash {
    let mut output = Output::new(Box::new(Nothing));
    run(&mut output);
    output.tally().get().hash
}

#[test]
fn frames_are_the_same_however_wide() {
    let pattern = Pattern { width: 67, height: 91, frames: 4 };
    let run = |wide| hash_of(|out| assert_eq!(frames(pattern.into_source(), out, Filter::Blur, wide).unwrap(), 4));
    let narrow = run(1);
    assert!([2, 3, 4, 16].into_iter().all(|wide| run(wide) == narrow));
}

#[test]
fn cellshade_gives_the_same_film_twice() {
    let run = || hash_of(|out| assert_eq!(cellshade(clip("cup.mp4").first(6), out).unwrap(), 6));
    assert_eq!(run(), run());
}

#[test]
fn scenes_follow_the_cup() {
    let found = scenes(clip("cup.mp4").first(60), &mut Nothing, None).unwrap();
    assert!(found.cuts.is_empty());
    assert!(!found.tracks.is_empty());
    let longest = found.tracks.iter().map(|track| track.boxes.len()).max().unwrap();
    assert!(longest > 15, "the longest track has {longest} boxes");
}

#[test]
fn an_error_in_the_film_is_told_after_what_came_before_is_written() {
    let pattern = Pattern { width: 32, height: 32, frames: 3 };
    let meta = pattern.into_source().meta();
    let broken = (0..3)
        .map(move |i| if i < 2 { Ok(pattern.frame(i)) } else { Err(VideoError::malformed("film", "a broken frame")) });
    let mut output = Output::new(Box::new(Nothing));
    let tally = output.tally();
    let error = cellshade(Source::new(meta, broken), &mut output).unwrap_err();
    assert_eq!(error.to_string(), "film is broken: a broken frame");
    assert_eq!(tally.get().frames, 2);
}
