//! The files that a program writes, checked before the first is opened.

use std::path::{Path, PathBuf};
use std::{env, fs};

use super::Options;
use crate::VideoError;
use crate::source;

/// The files that a program writes.
#[derive(Debug)]
pub struct Files {
    film: String,
    sheet: Option<PathBuf>,
    /// Film, sheet and others.
    all: Vec<PathBuf>,
}

impl Files {
    /// Of a program that writes its film to `default` unless the user says otherwise, and to `more`.
    /// With `sheet`, a contact sheet goes beside FILE.mp4.
    ///
    /// # Errors
    ///
    /// Where two of them are one file, or one is a file of the input.
    pub fn new(options: &Options, default: &str, sheet: bool, more: Option<&Path>) -> Result<Self, VideoError> {
        let film = options.output.as_deref().unwrap_or(default);
        let sheet = (sheet && film.ends_with(".mp4")).then(|| Path::new(film).with_extension("png"));
        let is_file = !matches!(film, "-" | "hash" | "none");
        let mut all: Vec<PathBuf> = is_file.then(|| film.into()).into_iter().collect();
        all.extend(sheet.clone());
        all.extend([more, options.run.graph.as_deref()].into_iter().flatten().map(PathBuf::from));

        let inputs: Vec<PathBuf> = source::files(&options.input()).iter().filter_map(|path| place(path)).collect();
        for (i, path) in all.iter().enumerate() {
            let other = if inputs.iter().any(|input| destroys(path, input)) {
                "the input"
            } else if all[..i].iter().filter_map(|other| place(other)).any(|other| destroys(path, &other)) {
                "another output"
            } else {
                continue;
            };
            return Err(VideoError::SameFile { path: path.clone(), other });
        }
        Ok(Self { film: film.into(), sheet, all })
    }

    /// Where the film goes.
    #[must_use]
    pub fn film(&self) -> &str {
        &self.film
    }

    /// Where the contact sheet beside it goes.
    #[must_use]
    pub fn sheet(&self) -> Option<&Path> {
        self.sheet.as_deref()
    }

    /// Their names in a line; nothing where there are none.
    #[must_use]
    pub fn names(&self) -> Option<String> {
        let (last, others) = self.all.split_last()?;
        let others: Vec<_> = others.iter().map(|path| path.display().to_string()).collect();
        let last = last.display();
        Some(if others.is_empty() { last.to_string() } else { format!("{} and {last}", others.join(", ")) })
    }

    /// Removes those that nothing was written to.
    pub(super) fn remove_empty(&self) {
        let is_empty = |path: &&PathBuf| fs::metadata(path).is_ok_and(|data| data.is_file() && data.len() == 0);
        for path in self.all.iter().filter(is_empty) {
            // One that stays is not worth an error.
            let _ = fs::remove_file(path);
        }
    }
}

/// The one name of a file, which may still be missing; `None` of a terminal, a pipe and the like,
/// which writing does not destroy.
fn place(path: &Path) -> Option<PathBuf> {
    if let Ok(found) = path.canonicalize() {
        return (found.is_file() || found.is_dir()).then_some(found);
    }
    let whole = env::current_dir().ok()?.join(path);
    Some(whole.parent()?.canonicalize().ok()?.join(whole.file_name()?))
}

/// Whether writing the output `path` destroys the file at `other`, a [`place`].
fn destroys(path: &Path, other: &Path) -> bool {
    let Some(path) = place(path) else { return false };
    let name = other.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    // A folder gets a sequence of pictures, and keeps what else is in it.
    let in_sequence = || name.starts_with("frame-") && name.ends_with(".png") && other.parent() == Some(&path);
    path == other || in_sequence()
}
