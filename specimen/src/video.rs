//! Uncompressed video (YUV4MPEG2) as Chromium's fake camera reads it.

use super::picture::Picture;
use crate::Done;
use std::{
    fs::File,
    io::{BufWriter, Write},
    path::Path,
};

/// A file being written.
pub(crate) struct Video {
    out: BufWriter<File>,
}

impl Video {
    /// Starts a video of this size; both sides must be even.
    pub(crate) fn create(path: &Path, width: usize, height: usize, frames_a_second: u32) -> Done<Self> {
        let mut out = BufWriter::new(File::create(path)?);
        writeln!(
            out,
            "YUV4MPEG2 W{width} H{height} F{frames_a_second}:1 Ip A1:1 C420jpeg"
        )?;
        Ok(Self { out })
    }

    /// Adds one frame.
    pub(crate) fn push(&mut self, frame: &Picture) -> Done {
        self.out.write_all(b"FRAME\n")?;
        let (width, height) = (frame.width, frame.height);
        let luma: Vec<u8> = frame
            .pixels
            .iter()
            .map(|pixel| byte(weigh(*pixel, [0.257, 0.504, 0.098]) + 16.0))
            .collect();
        self.out.write_all(&luma)?;
        for weights in [[-0.148, -0.291, 0.439], [0.439, -0.368, -0.071]] {
            let mut plane = Vec::with_capacity(width * height / 4);
            for y in (0..height).step_by(2) {
                for x in (0..width).step_by(2) {
                    let at = y * width + x;
                    let four = [at, at + 1, at + width, at + width + 1];
                    let mean = four
                        .map(|index| weigh(frame.pixels[index], weights))
                        .iter()
                        .sum::<f32>()
                        / 4.0;
                    plane.push(byte(mean + 128.0));
                }
            }
            self.out.write_all(&plane)?;
        }
        Ok(())
    }

    /// Flushes the buffered data.
    pub(crate) fn finish(mut self) -> Done {
        Ok(self.out.flush()?)
    }
}

fn weigh(pixel: [f32; 3], weights: [f32; 3]) -> f32 {
    pixel
        .iter()
        .zip(weights)
        .map(|(value, weight)| value.clamp(0.0, 255.0) * weight)
        .sum()
}

fn byte(value: f32) -> u8 {
    value.round().clamp(0.0, 255.0) as u8
}
