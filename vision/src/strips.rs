//! Items cut out of a picture, straightened and stacked on one sheet, for people to compare with what was read.

use crate::geometry::{Corners, mean_sides};
use crate::picture::{Picture, PictureFault};
use crate::projection::Projection;
use crate::raster::Raster;

/// Largest size of a strip in pixels, width and height: an item is shown half as large, sharp on a phone.
const LARGEST: [f32; 2] = [880.0, 96.0];
/// An item is enlarged at most so many times: small print stays as small as it is.
const ENLARGED: f32 = 3.0;
/// What is shown around an item, as a share of its height.
const MARGIN: f32 = 0.2;
/// Background of the sheet.
const PAPER: [u8; 3] = [255; 3];

/// One item on the sheet, in pixels of the sheet, at its left edge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Strip {
    /// Its upper edge.
    pub top: u32,
    /// Its width.
    pub width: u32,
    /// Its height.
    pub height: u32,
}

/// Where the items lie on their sheet, known without the picture.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sheet {
    /// Width in pixels.
    pub width: u32,
    /// Height in pixels.
    pub height: u32,
    /// The items, in the order of their regions.
    pub strips: Vec<Strip>,
}

impl Sheet {
    /// The sheet of items with these corners (left top, right top, right bottom, left bottom as they are read).
    #[must_use]
    pub fn of(regions: &[Corners]) -> Self {
        let mut height = 0;
        let strips: Vec<Strip> = regions
            .iter()
            .map(|corners| {
                let [width, tall] = size(corners);
                let strip = Strip {
                    top: height,
                    width,
                    height: tall,
                };
                height += tall;
                strip
            })
            .collect();
        Self {
            width: strips.iter().map(|strip| strip.width).max().unwrap_or(0),
            height,
            strips,
        }
    }
}

/// The sheet [`Sheet::of`] the same regions, as a picture; `None` without regions.
///
/// # Errors
/// When the sheet cannot be encoded.
pub fn cut_strips(picture: &Picture, regions: &[Corners]) -> Result<Option<Picture>, PictureFault> {
    let layout = Sheet::of(regions);
    if layout.strips.is_empty() {
        return Ok(None);
    }
    let mut sheet = Raster::filled(layout.width as usize, layout.height as usize, PAPER);
    for (strip, corners) in layout.strips.iter().zip(regions) {
        let (width, height) = (strip.width as usize, strip.height as usize);
        let widened = widened(corners);
        if let Some(projection) = Projection::of_rectangle(width as f32, height as f32, &widened) {
            sheet.paste(&projection.cut_out(&picture.rgb, width, height), 0, strip.top as usize);
        }
    }
    Picture::from_raster(sheet).map(Some)
}

/// The size of the strip for an item, its margin included.
fn size(corners: &Corners) -> [u32; 2] {
    let [width, height] = extent(&widened(corners));
    let scale = (LARGEST[0] / width).min(LARGEST[1] / height).min(ENLARGED);
    [(width, LARGEST[0]), (height, LARGEST[1])].map(|(side, most)| (side * scale).round().clamp(1.0, most) as u32)
}

/// Mean width and height, at least a pixel each.
fn extent(corners: &Corners) -> [f32; 2] {
    mean_sides(corners).map(|length| if length.is_finite() { length.max(1.0) } else { 1.0 })
}

/// The corners moved out by the margin, along the item's own edges.
fn widened(corners: &Corners) -> Corners {
    let [width, height] = extent(corners);
    let Some(projection) = Projection::of_rectangle(width, height, corners) else {
        return *corners;
    };
    let by = height * MARGIN;
    [
        [-by, -by],
        [width + by, -by],
        [width + by, height + by],
        [-by, height + by],
    ]
    .map(|corner| projection.place(corner))
}

#[cfg(test)]
mod tests {
    use super::*;

    const NAME: Corners = [[100.0, 100.0], [300.0, 100.0], [300.0, 130.0], [100.0, 130.0]];
    /// Upside down and tilted.
    const BIRTH: Corners = [[500.0, 340.0], [380.0, 330.0], [384.0, 300.0], [504.0, 310.0]];
    const NOWHERE: Corners = [[7.0, 7.0]; 4];

    fn is_near(colour: [f32; 3], wanted: [f32; 3]) -> bool {
        colour.iter().zip(wanted).all(|(a, b)| (a - b).abs() < 40.0)
    }

    #[test]
    fn items_lie_under_each_other_as_they_are_read() {
        let mut page = Raster::filled(800, 600, [200; 3]);
        page.paste(&Raster::filled(100, 30, [220, 0, 0]), 100, 100);
        page.paste(&Raster::filled(100, 30, [0, 160, 0]), 200, 100);
        page.paste(&Raster::filled(140, 60, [0, 0, 220]), 372, 290);
        let regions = [NAME, NOWHERE, BIRTH];
        let layout = Sheet::of(&regions);
        let sheet = cut_strips(&Picture::from_raster(page).unwrap(), &regions)
            .unwrap()
            .unwrap()
            .rgb;
        assert_eq!(
            (sheet.width(), sheet.height()),
            (layout.width as usize, layout.height as usize)
        );
        let [name, nowhere, birth] = layout.strips[..] else {
            panic!("{layout:?}")
        };
        assert_eq!(
            [name.top, nowhere.top, birth.top],
            [0, name.height, name.height + nowhere.height]
        );
        assert_eq!(name.height, 96);
        let middle =
            |strip: Strip, at: f32| sheet.sample(strip.width as f32 * at, strip.top as f32 + strip.height as f32 / 2.0);
        assert!(is_near(middle(name, 0.3), [220.0, 0.0, 0.0]));
        assert!(is_near(middle(name, 0.7), [0.0, 160.0, 0.0]));
        assert!(is_near(middle(birth, 0.5), [0.0, 0.0, 220.0]));
        // The margin.
        assert!(is_near(sheet.sample(4.0, 4.0), [200.0; 3]));
    }

    #[test]
    fn no_strip_is_larger_than_a_phone_needs_however_long_the_item_is() {
        let long = [[0.0, 0.0], [2800.0, 0.0], [2800.0, 60.0], [0.0, 60.0]];
        let tall = [[0.0, 0.0], [40.0, 0.0], [40.0, 2000.0], [0.0, 2000.0]];
        let sheet = Sheet::of(&[long, tall]);
        assert!(
            sheet
                .strips
                .iter()
                .all(|strip| strip.width <= 880 && strip.height <= 96),
            "{sheet:?}"
        );
        assert_eq!(sheet.strips[0].width, 880);
    }

    #[test]
    fn without_places_there_is_no_sheet() {
        let page = Picture::from_raster(Raster::filled(80, 60, [200; 3])).unwrap();
        assert!(cut_strips(&page, &[]).unwrap().is_none());
    }
}
