//! What can go wrong with a film, one variant a cause, and with a program.

use std::path::PathBuf;
use std::{fmt, io};

use kpn::{BuildError, RunError};

/// Why a film could not be read or written.
#[derive(Debug)]
#[non_exhaustive]
pub enum VideoError {
    /// The input could not be opened or read.
    Read {
        /// The input.
        path: PathBuf,
        /// What the system said.
        cause: io::Error,
    },
    /// The output could not be created or written, for instance since the disk is full.
    Write {
        /// The output.
        path: PathBuf,
        /// What the system said.
        cause: io::Error,
    },
    /// The input ends before its film does.
    Truncated {
        /// The input.
        path: PathBuf,
        /// What is there and what is missing.
        found: String,
    },
    /// The input is not what it says that it is.
    Malformed {
        /// The input.
        path: PathBuf,
        /// What was found.
        found: String,
    },
    /// The input is sound, but nothing here can decode it.
    Unsupported {
        /// The input.
        path: PathBuf,
        /// What was found, and what would help.
        found: String,
    },
    /// An input names no file.
    NoInput {
        /// The pattern or folder that came up empty.
        pattern: String,
    },
    /// The encoder refused a frame.
    Encode {
        /// The output.
        path: PathBuf,
        /// What the encoder said.
        found: String,
    },
    /// A frame differs in size from those before it, where the output can't change size.
    SizeChanged {
        /// Width and height so far, in pixels.
        expected: (usize, usize),
        /// Width and height of the new frame, in pixels.
        found: (usize, usize),
    },
    /// An input has no frame, or none was asked for.
    NoFrames {
        /// The input.
        input: String,
    },
    /// An output would destroy the input or another output.
    SameFile {
        /// The output.
        path: PathBuf,
        /// What it would destroy.
        other: &'static str,
    },
    /// An output or filter that no rule knows.
    UnknownOutput {
        /// What was asked for.
        spec: String,
    },
}

impl VideoError {
    /// A reading failure of `path`; an early end becomes [`VideoError::Truncated`].
    pub(crate) fn read(path: impl Into<PathBuf>, cause: io::Error) -> Self {
        let path = path.into();
        if cause.kind() == io::ErrorKind::UnexpectedEof {
            return Self::Truncated { path, found: "the file ends in the middle of a frame".into() };
        }
        Self::Read { path, cause }
    }

    pub(crate) fn write(path: impl Into<PathBuf>, cause: io::Error) -> Self {
        Self::Write { path: path.into(), cause }
    }

    pub(crate) fn malformed(path: impl Into<PathBuf>, found: impl Into<String>) -> Self {
        Self::Malformed { path: path.into(), found: found.into() }
    }

    pub(crate) fn unsupported(path: impl Into<PathBuf>, found: impl Into<String>) -> Self {
        Self::Unsupported { path: path.into(), found: found.into() }
    }
}

/// The first of some bytes of an input, fit for a message whatever they are.
pub(crate) fn shown(bytes: &[u8]) -> String {
    const MOST: usize = 40;
    match bytes.get(..MOST) {
        Some(start) if bytes.len() > MOST => format!("{}…", start.escape_ascii()),
        _ => bytes.escape_ascii().to_string(),
    }
}

impl fmt::Display for VideoError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Read { path, cause } => write!(f, "can't read {}: {cause}", path.display()),
            Self::Write { path, cause } => write!(f, "can't write {}: {cause}", path.display()),
            Self::Truncated { path, found } => {
                write!(f, "{} is cut short: {found}", path.display())
            }
            Self::Malformed { path, found } => write!(f, "{} is broken: {found}", path.display()),
            Self::Unsupported { path, found } => {
                write!(f, "{} can't be decoded here: {found}", path.display())
            }
            Self::NoInput { pattern } => {
                write!(f, "`{pattern}` names no picture; give a folder or pattern of .png or .jpg files")
            }
            Self::Encode { path, found } => {
                write!(f, "can't encode a frame for {}: {found}", path.display())
            }
            Self::SizeChanged { expected: (w, h), found: (fw, fh) } => write!(
                f,
                "the film changes from {w}x{h} to {fw}x{fh} pixels, which this output can't follow; \
                 write a PNG sequence instead"
            ),
            Self::NoFrames { input } => write!(f, "no frames in {input}, so no output is written"),
            Self::SameFile { path, other } => {
                write!(f, "won't write {}: it is also {other}, which would be lost", path.display())
            }
            Self::UnknownOutput { spec } => write!(
                f,
                "`{spec}` is no known output; known: FILE.mp4, FILE.y4m, `-` (Y4M to standard output), \
                 FILE.gif, FILE.png (contact sheet), FOLDER/ (PNG sequence), `hash`, `none`"
            ),
        }
    }
}

impl std::error::Error for VideoError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Read { cause, .. } | Self::Write { cause, .. } => Some(cause),
            _ => None,
        }
    }
}

/// Why a program failed.
#[derive(Debug)]
pub enum Failure {
    /// Its input or output.
    Video(VideoError),
    /// Its network's description.
    Build(BuildError),
    /// Its network's run.
    Run(RunError),
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Video(error) => error.fmt(f),
            Self::Build(error) => error.fmt(f),
            Self::Run(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for Failure {}

impl From<VideoError> for Failure {
    fn from(error: VideoError) -> Self {
        Self::Video(error)
    }
}

impl From<BuildError> for Failure {
    fn from(error: BuildError) -> Self {
        Self::Build(error)
    }
}

impl From<RunError> for Failure {
    fn from(error: RunError) -> Self {
        Self::Run(error)
    }
}

#[cfg(test)]
mod tests {
    use super::shown;

    #[test]
    fn bytes_are_shown_short_and_printable() {
        assert_eq!(shown(b"moov"), "moov");
        assert_eq!(shown(b"\x1b[2J\xff\0"), r"\x1b[2J\xff\x00");
        assert_eq!(shown(&[b'a'; 41]), "a".repeat(40) + "…");
    }
}
