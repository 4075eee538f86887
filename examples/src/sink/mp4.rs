//! MP4 films: OpenH264 encodes, the muxer writes.

use std::fs::File;
use std::path::{Path, PathBuf};

use openh264::encoder::{
    Complexity, Encoder, EncoderConfig, FrameRate, FrameType, IntraFramePeriod, RateControlMode, UsageType, VuiConfig,
};
use openh264::formats::YUVSlices;
use openh264::{OpenH264API, Timestamp};

use super::Sink;
use super::mux::{Film, Muxer};
use crate::VideoError;
use crate::frame::{Colour, Frame, Layout, Matrix, Range};
use crate::source::Meta;

/// The encoder takes no smaller frames.
const SMALLEST: usize = 16;

/// An MP4 film in H.264, in the source's timescale and with its durations.
///
/// H.264 with halved chroma wants even sizes: an odd frame is padded by repeating its last column
/// and row, and a `tracing` warning says so.
pub struct Mp4 {
    path: PathBuf,
    /// Taken by the muxer with the first frame, since the index needs its parameter sets.
    file: Option<File>,
    muxer: Option<Muxer<File>>,
    encoder: Encoder,
    colour: Colour,
    timescale: u32,
    size: Option<(usize, usize)>,
    failed: bool,
}

impl Mp4 {
    /// Creates the file for a film like `meta`.
    ///
    /// # Errors
    ///
    /// Where the file can't be created or the encoder does not start.
    pub fn create(path: &Path, meta: &Meta) -> Result<Self, VideoError> {
        let file = File::create(path).map_err(|cause| VideoError::write(path, cause))?;
        let (w, h) = coded_size(meta.width, meta.height);
        if (w, h) != (meta.width, meta.height) {
            tracing::warn!(
                "{}: H.264 wants even sizes of at least {SMALLEST}; the film of {}x{} is padded to {w}x{h}",
                path.display(),
                meta.width,
                meta.height,
            );
        }
        let vui = match meta.colour.matrix {
            Matrix::Bt601 => VuiConfig::bt601(),
            Matrix::Bt709 => VuiConfig::bt709(),
        };
        let config = EncoderConfig::new()
            // Frames must not vanish, whatever the bit rate.
            .skip_frames(false)
            // One thread: the network spreads the work, and the film must not depend on the machine.
            .num_threads(1)
            .usage_type(UsageType::CameraVideoRealTime)
            .complexity(Complexity::Low)
            // The same quality throughout; controlling the rate would need to skip frames.
            .rate_control_mode(RateControlMode::Off)
            .max_frame_rate(FrameRate::from_hz(meta.fps() as f32))
            .intra_frame_period(IntraFramePeriod::from_num_frames(60))
            .scene_change_detect(true)
            .background_detection(false)
            .vui(vui.full_range(meta.colour.range == Range::Full));
        let encoder = Encoder::with_api_config(OpenH264API::from_source(), config)
            .map_err(|error| VideoError::Encode { path: path.into(), found: error.to_string() })?;
        Ok(Self {
            path: path.into(),
            file: Some(file),
            muxer: None,
            encoder,
            colour: meta.colour,
            timescale: meta.timescale,
            size: None,
            failed: false,
        })
    }

    fn encode(&mut self, frame: &Frame) -> Result<(), VideoError> {
        let fault = |path: &Path, found: String| VideoError::Encode { path: path.into(), found };
        let (w, h) = coded_size(frame.width(), frame.height());
        let frame = frame.to(Layout::Yuv420, self.colour).padded_to(w, h);
        let [y, u, v] = [frame.plane(0), frame.plane(1), frame.plane(2)];
        let slices = YUVSlices::new((y.data, u.data, v.data), (w, h), (y.stride, u.stride, v.stride));
        let millis = frame.pts * 1000 / u64::from(self.timescale);
        let stream = self
            .encoder
            .encode_at(&slices, Timestamp::from_millis(millis))
            .map_err(|error| fault(&self.path, error.to_string()))?;
        let key = matches!(stream.frame_type(), FrameType::IDR);
        let (mut sample, mut sps, mut pps) = (Vec::new(), None, None);
        let layers = (0..stream.num_layers()).filter_map(|i| stream.layer(i));
        for layer in layers {
            for unit in (0..layer.nal_count()).filter_map(|i| layer.nal_unit(i)) {
                let unit = without_start_code(unit);
                match unit.first().map(|byte| byte & 31) {
                    Some(7) => sps = Some(unit.to_vec()),
                    Some(8) => pps = Some(unit.to_vec()),
                    Some(_) => {
                        sample.extend((unit.len() as u32).to_be_bytes());
                        sample.extend(unit);
                    }
                    None => {}
                }
            }
        }
        if let Some(file) = self.file.take() {
            let (Some(sps), Some(pps)) = (sps, pps) else {
                return Err(fault(&self.path, "the first frame came without parameter sets".into()));
            };
            let (width, height) = (w as u16, h as u16);
            let film = Film { width, height, timescale: self.timescale, colour: self.colour, sps, pps };
            let muxer = Muxer::new(file, film).map_err(|cause| VideoError::write(&self.path, cause))?;
            self.muxer = Some(muxer);
        }
        let Some(muxer) = &mut self.muxer else {
            return Err(fault(&self.path, "the film is closed".into()));
        };
        muxer.sample(&sample, key, frame.duration.max(1)).map_err(|cause| VideoError::write(&self.path, cause))
    }
}

impl Sink for Mp4 {
    fn write(&mut self, frame: &Frame) -> Result<(), VideoError> {
        let expected = *self.size.get_or_insert(frame.size());
        let result = if expected == frame.size() {
            self.encode(frame)
        } else {
            Err(VideoError::SizeChanged { expected, found: frame.size() })
        };
        if result.is_err() && !std::mem::replace(&mut self.failed, true) {
            // The first error is the one to tell; closing makes the rest playable.
            let _ = self.finish();
        }
        result
    }

    fn finish(&mut self) -> Result<(), VideoError> {
        match self.muxer.take() {
            Some(mut muxer) => muxer.finish().map_err(|cause| VideoError::write(&self.path, cause)),
            None => Ok(()),
        }
    }
}

impl Drop for Mp4 {
    fn drop(&mut self) {
        if let Err(error) = self.finish() {
            tracing::warn!("{error}");
        }
    }
}

fn coded_size(width: usize, height: usize) -> (usize, usize) {
    let even = |n: usize| n.next_multiple_of(2).max(SMALLEST);
    (even(width), even(height))
}

fn without_start_code(unit: &[u8]) -> &[u8] {
    unit.strip_prefix(&[0, 0, 0, 1]).or_else(|| unit.strip_prefix(&[0, 0, 1])).unwrap_or(unit)
}
