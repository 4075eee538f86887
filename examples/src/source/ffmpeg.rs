//! Whatever else, decoded by the `ffmpeg` program and read through a pipe.

use std::io::{self, Read};
use std::path::Path;
use std::process::{Child, ChildStdout, Command, Stdio};

use super::{Source, y4m};
use crate::VideoError;

/// Opens `path` through `ffmpeg`; `why` says why nothing here reads it.
pub(super) fn open(path: &Path, why: &str) -> Result<Source, VideoError> {
    open_with("ffmpeg", path, why)
}

fn open_with(program: &str, path: &Path, why: &str) -> Result<Source, VideoError> {
    let child = Command::new(program)
        .args(["-nostdin", "-v", "error", "-i"])
        .arg(path)
        .args(["-f", "yuv4mpegpipe", "-pix_fmt", "yuv420p", "-"])
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        // Not piped: a full pipe that nobody reads would stop the program.
        .stderr(Stdio::inherit())
        .spawn();
    let mut child = match child {
        Ok(child) => child,
        Err(cause) if cause.kind() == io::ErrorKind::NotFound => {
            let found = format!("{why}, and the `{program}` program, which reads most formats, is not on the path");
            return Err(VideoError::unsupported(path, found));
        }
        Err(cause) => return Err(VideoError::read(program, cause)),
    };
    let Some(out) = child.stdout.take() else {
        return Err(VideoError::unsupported(path, format!("`{program}` has no output")));
    };
    y4m::read(path, Pipe { child, out }).map_err(|error| match error {
        VideoError::Truncated { .. } => {
            VideoError::unsupported(path, format!("{why}, and `{program}` found no film in it either"))
        }
        other => other,
    })
}

/// The program's output; a failing program is a failing read at its end.
struct Pipe {
    child: Child,
    out: ChildStdout,
}

impl Read for Pipe {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let n = self.out.read(buffer)?;
        if n == 0 && !buffer.is_empty() {
            let status = self.child.wait()?;
            if !status.success() {
                return Err(io::Error::other(format!("the decoding program ended with {status}")));
            }
        }
        Ok(n)
    }
}

impl Drop for Pipe {
    fn drop(&mut self) {
        // It may have ended already, and then there is nothing to end.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_program_is_said() {
        let Err(error) = open_with("no-such-program-here", Path::new("film.mkv"), "it is Matroska") else {
            panic!("opened");
        };
        let text = error.to_string();
        assert!(text.contains("it is Matroska") && text.contains("not on the path"), "{text}");
    }
}
