//! Locates text: the detector's probability map, its connected components, and a rectangle around each.

use super::area::Area;
use crate::model::{Model, ModelError, Tensor, run_one};
use crate::raster::Raster;

/// Longest side of what the detector sees of a picture: as accurate as 960 and a fifth faster.
pub(crate) const PICTURE_SIDE: usize = 736;
/// The same of a card that was cut out and fills its picture: its print is larger there.
pub(crate) const CARD_SIDE: usize = 640;
/// Pixels below this probability separate components.
const PIXEL: f32 = 0.3;
/// Components whose mean is below this are not text.
const COMPONENT: f32 = 0.5;
/// Components of fewer pixels are specks.
const SPECK: usize = 12;
/// Lines lower than this many pixels of the picture cannot be read.
const LOWEST: f32 = 2.5;
/// A small picture is enlarged at most this much.
const ENLARGED: f32 = 2.0;

/// The areas of text in a picture, from top to bottom.
pub(super) fn areas(model: &dyn Model, picture: &Raster, side: usize) -> Result<Vec<Area>, ModelError> {
    let scale = (side as f32 / picture.longest() as f32).min(ENLARGED);
    // The network halves the picture five times.
    let rounded = |length: usize| ((length as f32 * scale / 32.0).round() as usize).max(1) * 32;
    let (width, height) = (rounded(picture.width()), rounded(picture.height()));
    let input = planes(&picture.resized(width, height), width);
    let answer = run_one(model, input)?;
    if answer.data.len() != width * height {
        return Err(ModelError::shape(model, &answer));
    }
    let pixel = [
        picture.width() as f32 / width as f32,
        picture.height() as f32 / height as f32,
    ];
    let mut areas: Vec<Area> = components(&answer.data, width)
        .iter()
        .filter_map(|component| {
            let points: Vec<[f32; 2]> = component
                .iter()
                .map(|&at| [(at % width) as f32 * pixel[0], (at / width) as f32 * pixel[1]])
                .collect();
            Area::around(&points)
        })
        .map(|area| area.unclipped(pixel))
        .filter(|area| area.half_height >= LOWEST)
        .collect();
    areas.sort_by(|a, b| a.y.total_cmp(&b.y));
    Ok(areas)
}

/// A raster as the networks take it: planes of blue, green and red in -1..1, zero to the right up to `width`.
pub(super) fn planes(raster: &Raster, width: usize) -> Tensor {
    let (height, columns) = (raster.height(), raster.width());
    let mut data = vec![0.0; 3 * height * width];
    for (y, row) in raster.pixels().chunks_exact(columns * 3).enumerate() {
        for (x, pixel) in row.chunks_exact(3).enumerate() {
            for (plane, &value) in pixel.iter().rev().enumerate() {
                data[(plane * height + y) * width + x] = f32::from(value) / 127.5 - 1.0;
            }
        }
    }
    Tensor {
        shape: vec![1, 3, height, width],
        data,
    }
}

/// Connected pixels above the threshold (eight neighbours), those that are sure enough to be text.
fn components(map: &[f32], width: usize) -> Vec<Vec<usize>> {
    let height = map.len() / width;
    let mut seen: Vec<bool> = map.iter().map(|&p| p < PIXEL).collect();
    let mut found = Vec::new();
    for start in 0..map.len() {
        if seen[start] {
            continue;
        }
        seen[start] = true;
        let mut component = vec![start];
        let mut next = 0;
        while let Some(&at) = component.get(next) {
            next += 1;
            let (x, y) = (at % width, at / width);
            for row in y.saturating_sub(1)..=(y + 1).min(height - 1) {
                for column in x.saturating_sub(1)..=(x + 1).min(width - 1) {
                    let neighbour = row * width + column;
                    if !seen[neighbour] {
                        seen[neighbour] = true;
                        component.push(neighbour);
                    }
                }
            }
        }
        let mean = component.iter().map(|&at| map[at]).sum::<f32>() / component.len() as f32;
        if component.len() >= SPECK && mean >= COMPONENT {
            found.push(component);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Says that everything dark is text.
    struct Dark;

    impl Model for Dark {
        fn name(&self) -> &str {
            "dark"
        }
        fn run(&self, input: Tensor) -> Result<Vec<Tensor>, ModelError> {
            let plane = input.data.len() / 3;
            let data = input.data[..plane]
                .iter()
                .map(|&v| if v < 0.0 { 0.9 } else { 0.0 })
                .collect();
            Ok(vec![Tensor {
                shape: vec![1, 1, input.shape[2], input.shape[3]],
                data,
            }])
        }
    }

    #[test]
    fn two_bars_are_two_areas_in_pixels_of_the_picture_and_a_speck_is_none() {
        let mut picture = Raster::filled(1472, 736, [255; 3]);
        picture.paste(&Raster::filled(400, 40, [0; 3]), 200, 100);
        picture.paste(&Raster::filled(300, 40, [0; 3]), 700, 500);
        picture.paste(&Raster::filled(4, 4, [0; 3]), 50, 600);
        let areas = areas(&Dark, &picture, PICTURE_SIDE).unwrap();
        assert_eq!(areas.len(), 2);
        assert!(
            (areas[0].x - 400.0).abs() < 4.0 && (areas[0].y - 120.0).abs() < 4.0,
            "{areas:?}"
        );
        assert!(
            areas[0].half_width > 200.0 && areas[0].half_height > 20.0,
            "grown beyond the core: {areas:?}"
        );
        assert!((areas[1].x - 850.0).abs() < 4.0);
    }
}
