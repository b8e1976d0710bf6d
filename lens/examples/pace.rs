//! How long one look takes: prints the median of a hundred, in milliseconds, on a preview of 640 × 480 with print-like detail.
#![expect(clippy::print_stdout, reason = "a tool for the desk")]

use lens::frame::Frame;
use lens::quality::look;
use std::time::Instant;

fn main() {
    let (width, height) = (640_u32, 480_u32);
    let pixels: Vec<u8> = (0..width * height)
        .flat_map(|i| {
            let (x, y) = (i % width, i / width);
            let card = (60..580).contains(&x) && (70..410).contains(&y);
            let ink = card && y % 20 < 9 && (x * 7 + y / 20 * 13) % 11 < 4;
            let v = if ink {
                40
            } else if card {
                215
            } else {
                60 + (x * 31 + y * 17) as u8 % 9
            };
            [v, v, v, 255]
        })
        .collect();
    let Some(frame) = Frame::rgba(width, height, &pixels) else {
        return;
    };
    let mut times: Vec<f64> = (0..100)
        .map(|_| {
            let start = Instant::now();
            std::hint::black_box(look(&frame));
            start.elapsed().as_secs_f64() * 1000.0
        })
        .collect();
    times.sort_by(f64::total_cmp);
    println!(
        "{{\"look_ms\": {:.2}, \"outline\": {}}}",
        times[50],
        look(&frame).outline.is_some()
    );
}
