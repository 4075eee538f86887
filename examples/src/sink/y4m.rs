//! YUV4MPEG2 to a file or pipe.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use super::Sink;
use crate::VideoError;
use crate::frame::{Frame, Layout, Range};
use crate::source::Meta;

/// A Y4M film. RGB is written as 4:4:4; the frame rate is that of the source's first frame.
pub struct Y4m {
    path: PathBuf,
    out: BufWriter<Box<dyn Write + Send>>,
    meta: Meta,
    first: Option<(Layout, (usize, usize))>,
}

impl Y4m {
    /// Creates the file.
    ///
    /// # Errors
    ///
    /// Where it can't be created.
    pub fn create(path: &Path, meta: &Meta) -> Result<Self, VideoError> {
        let file = File::create(path).map_err(|cause| VideoError::write(path, cause))?;
        Ok(Self::new(path, file, meta))
    }

    /// Writes to `out`; `name` stands for it in messages.
    pub fn new(name: impl Into<PathBuf>, out: impl Write + Send + 'static, meta: &Meta) -> Self {
        let out = BufWriter::with_capacity(1 << 16, Box::new(out) as Box<dyn Write + Send>);
        Self { path: name.into(), out, meta: *meta, first: None }
    }

    fn put(&mut self, frame: &Frame) -> std::io::Result<()> {
        if self.first.is_none() {
            let colour = match frame.layout() {
                Layout::Yuv422 => "422",
                Layout::Yuv444 => "444",
                Layout::Gray => "mono",
                _ => "420jpeg",
            };
            let range = if frame.colour().range == Range::Full { "FULL" } else { "LIMITED" };
            writeln!(
                self.out,
                "YUV4MPEG2 W{} H{} F{}:{} Ip A1:1 C{colour} XCOLORRANGE={range}",
                frame.width(),
                frame.height(),
                self.meta.timescale,
                self.meta.frame_duration.max(1),
            )?;
        }
        self.out.write_all(b"FRAME\n")?;
        frame.planes().flat_map(|plane| plane.rows()).try_for_each(|row| self.out.write_all(row))
    }
}

impl Sink for Y4m {
    fn write(&mut self, frame: &Frame) -> Result<(), VideoError> {
        let frame = if frame.layout() == Layout::Gray { frame.clone() } else { frame.to_planar() };
        let (layout, expected) = self.first.unwrap_or((frame.layout(), frame.size()));
        if expected != frame.size() {
            return Err(VideoError::SizeChanged { expected, found: frame.size() });
        }
        let frame = frame.to(layout, frame.colour());
        self.put(&frame).map_err(|cause| VideoError::write(&self.path, cause))?;
        self.first = Some((layout, expected));
        Ok(())
    }

    fn finish(&mut self) -> Result<(), VideoError> {
        self.out.flush().map_err(|cause| VideoError::write(&self.path, cause))
    }
}
