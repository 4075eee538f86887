use std::{env, fs, process};

use clap::Parser;
use clap::error::ErrorKind;

use super::*;

#[derive(Debug, Parser)]
struct Arguments {
    #[command(flatten)]
    options: Options,
}

fn parsed(arguments: &[&str]) -> Result<Options, clap::Error> {
    let arguments = Arguments::try_parse_from([&["program"], arguments].concat())?;
    run::check(arguments, |arguments| &arguments.options.run).map(|arguments| arguments.options)
}

fn files(arguments: &[&str], more: Option<&Path>) -> Result<Files, VideoError> {
    Files::new(&parsed(arguments).unwrap(), "film.mp4", true, more)
}

#[test]
fn what_an_executor_has_no_use_for_is_refused() {
    for executor in ["private", "deterministic"] {
        let error = parsed(&["--executor", executor, "--workers", "3"]).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::ArgumentConflict);
        assert!(parsed(&["--executor", executor]).is_ok());
    }
    for executor in ["shared", "private"] {
        let error = parsed(&["--executor", executor, "--seed", "3"]).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::ArgumentConflict);
    }
    assert!(parsed(&["--executor", "shared", "--workers", "3"]).is_ok());
    assert!(parsed(&["--executor", "deterministic", "--seed", "3"]).is_ok());
}

#[test]
fn help_tells_the_capacities() {
    let help = <Arguments as clap::CommandFactory>::command().render_long_help().to_string();
    let says = format!("[default: {}, of frames {}]", kpn::DEFAULT_CAPACITY, crate::nets::CAPACITY);
    assert!(help.contains(&says), "{help}");
}

#[test]
fn an_output_never_destroys_the_input() {
    let folder = env::temp_dir().join(format!("kpn-files-{}", process::id()));
    fs::create_dir_all(folder.join("below")).unwrap();
    let at = |name: &str| folder.join(name).display().to_string();
    for name in ["a.mp4", "a.png", "frame-00001.png"] {
        fs::write(at(name), b"film").unwrap();
    }
    let (film, sheet, round) = (at("a.mp4"), at("a.png"), at("below/../a.mp4"));
    let (all, pattern) = (at(""), at("*.png"));
    let lost = |input: &str, output: &str| {
        matches!(files(&["-i", input, "-o", output], None), Err(VideoError::SameFile { other: "the input", .. }))
    };
    let found = [
        (lost(&film, &film), true, "the same name"),
        (lost(&film, &round), true, "another name"),
        (lost(&sheet, &film), true, "the sheet"),
        (lost(&all, &all), true, "a sequence into the folder that it is read from"),
        (lost(&pattern, &all), true, "a sequence over a pattern"),
        (lost(&film, &all), false, "a sequence beside a film"),
        (lost(&film, &at("b.mp4")), false, "a new film"),
        (lost(&film, &at("no/such/folder.mp4")), false, "a folder that is missing"),
        (lost("-", &film), false, "standard input"),
        (lost(&film, "-"), false, "standard output"),
    ];
    let twice = files(&["-i", "-", "-o", &film], Some(Path::new(&sheet)));
    fs::remove_dir_all(&folder).unwrap();
    for (found, expected, what) in found {
        assert_eq!(found, expected, "{what}");
    }
    assert!(matches!(twice, Err(VideoError::SameFile { other: "another output", .. })));
}

#[test]
fn files_are_named_as_they_are_written() {
    let names = |arguments: &[&str], more: Option<&str>| files(arguments, more.map(Path::new)).unwrap().names();
    assert_eq!(names(&[], None).unwrap(), "film.mp4 and film.png");
    assert_eq!(names(&["-o", "a.gif"], None).unwrap(), "a.gif");
    assert_eq!(names(&["--graph", "a.dot"], Some("a.json")).unwrap(), "film.mp4, film.png, a.json and a.dot");
    assert_eq!(names(&["-o", "hash"], None), None);
    assert_eq!(names(&["-o", "-"], Some("a.json")).unwrap(), "a.json");
}

#[test]
fn an_input_of_no_frames_is_an_error() {
    for arguments in [&["-i", "pattern:64x48x0"][..], &["-i", "pattern:64x48", "--frames", "0"]] {
        let error = parsed(arguments).unwrap().source().err().unwrap();
        assert!(matches!(error, VideoError::NoFrames { .. }), "{error}");
    }
}
