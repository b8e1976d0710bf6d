//! Burnt-out highlights: bright blobs that fade into paper that is clearly darker, as a reflection does. White print ends in hard
//! edges, and white paper that the camera took too bright ends in paper nearly as white.

use crate::frame::{Area, Plane};
use crate::regions::regions;

/// From this value on a pixel is taken as burnt out.
const BURNT: u8 = 249;
/// Side of the cells that blobs are made of, in pixels.
const CELL: usize = 4;
/// How far outside a blob the fading is looked at, in pixels.
const RING: isize = 3;
/// A pixel that far outside still this bright belongs to a reflection's halo.
const HALO: u8 = 212;
/// A blob over less than this share of the area is a glint on an edge or a wave of the background print, and hides no item.
const GLINT: f32 = 0.01;
/// A blob over more than this share of the area is paper, not a reflection.
const PAPER: f32 = 0.45;
/// The share of a blob's border that must fade.
const FADING: f32 = 0.6;
/// How far outside a blob the paper is looked at, in pixels: in the soft rim of a reflection, and beyond it.
const RIM: isize = 8;
const BEYOND: isize = 40;
/// Half the side of the patch whose brightest pixels are taken for the paper, in pixels: wider than a stroke of print.
const PATCH: isize = 4;
/// The paper beyond a reflection is darker than the reflection by this much: light that falls unevenly takes less off over that
/// distance. And it is darker than the rim by this much: a white field on tinted paper has none.
const DARKER: (u8, u8) = (8, 4);
/// The share of a fading border beyond which the paper must be darker. Print, portraits and other reflections hide the rest.
const STANDING_OUT: f32 = 0.2;

/// Share of the area's pixels that lie in burnt-out highlights, 0 to 1.
pub(crate) fn share(plane: &Plane, area: Area) -> f32 {
    let (columns, rows) = ((area.right - area.left) / CELL, (area.bottom - area.top) / CELL);
    if columns == 0 || rows == 0 {
        return 0.0;
    }
    let burnt: Vec<bool> = (0..columns * rows)
        .map(|i| cell_burnt(plane, area.left + i % columns * CELL, area.top + i / columns * CELL))
        .collect();
    let total: usize = regions(&burnt, columns)
        .iter()
        .filter(|blob| {
            let share = blob.len() as f32 / burnt.len() as f32;
            (GLINT..=PAPER).contains(&share) && is_reflection(plane, area, columns, &burnt, blob)
        })
        .map(Vec::len)
        .sum();
    total as f32 / burnt.len() as f32
}

fn cell_burnt(plane: &Plane, left: usize, top: usize) -> bool {
    let burnt = (top..top + CELL)
        .flat_map(|y| &plane.values[y * plane.width + left..y * plane.width + left + CELL])
        .filter(|&&v| v >= BURNT)
        .count();
    burnt * 4 >= CELL * CELL * 3
}

/// Whether the blob is a reflection: most of its border is a halo, and beyond most of the halo the paper is darker.
fn is_reflection(plane: &Plane, area: Area, columns: usize, burnt: &[bool], blob: &[usize]) -> bool {
    let (mut border, mut soft, mut seen, mut darker) = (0_u32, 0_u32, 0_u32, 0_u32);
    for (at, outwards) in edges(area, columns, burnt, blob) {
        border += 1;
        if value(plane, along(at, outwards, RING)).is_none_or(|value| value < HALO) {
            continue;
        }
        soft += 1;
        let paper_at = |far| paper(plane, area, along(at, outwards, far));
        if let Some((rim, beyond)) = paper_at(RIM).zip(paper_at(BEYOND)) {
            seen += 1;
            darker += u32::from(beyond <= BURNT - DARKER.0 && beyond.saturating_add(DARKER.1) <= rim);
        }
    }
    // A halo that reaches to the end of the area all around leaves nothing to compare with.
    border > 0 && soft as f32 >= FADING * border as f32 && darker as f32 >= STANDING_OUT * seen as f32
}

/// Where the blob ends within the area: pixels on its edge, each with the direction that leads outwards.
fn edges(
    area: Area,
    columns: usize,
    burnt: &[bool],
    blob: &[usize],
) -> impl Iterator<Item = ((isize, isize), (isize, isize))> {
    let rows = (burnt.len() / columns) as isize;
    let sides = [(-1_isize, 0_isize), (1, 0), (0, -1), (0, 1)];
    blob.iter().flat_map(move |&cell| {
        let (cx, cy) = ((cell % columns) as isize, (cell / columns) as isize);
        sides.into_iter().filter_map(move |(dx, dy)| {
            let (x, y) = (cx + dx, cy + dy);
            let inside = (0..columns as isize).contains(&x) && (0..rows).contains(&y);
            if !inside || burnt[(y * columns as isize + x) as usize] {
                return None;
            }
            let (side, half) = (CELL as isize, CELL as isize / 2);
            let middle = (
                area.left as isize + cx * side + half,
                area.top as isize + cy * side + half,
            );
            Some((along(middle, (dx, dy), half), (dx, dy)))
        })
    })
}

const fn along((x, y): (isize, isize), (dx, dy): (isize, isize), far: isize) -> (isize, isize) {
    (x + dx * far, y + dy * far)
}

fn value(plane: &Plane, (x, y): (isize, isize)) -> Option<u8> {
    let (x, y) = (usize::try_from(x).ok()?, usize::try_from(y).ok()?);
    (x < plane.width && y < plane.height).then(|| plane.values[y * plane.width + x])
}

/// How bright the paper around a place is: what four fifths of a patch stay below, since print is darker and noise is rare.
/// `None` outside the area.
fn paper(plane: &Plane, area: Area, (x, y): (isize, isize)) -> Option<u8> {
    let inside = (area.left as isize..area.right as isize).contains(&x)
        && (area.top as isize..area.bottom as isize).contains(&y);
    let offsets = -PATCH..=PATCH;
    let mut patch: Vec<u8> = offsets
        .clone()
        .flat_map(|dy| offsets.clone().filter_map(move |dx| value(plane, (x + dx, y + dy))))
        .collect();
    if !inside || patch.is_empty() {
        return None;
    }
    // Below the length, since four fifths of it are.
    let rank = patch.len() * 4 / 5;
    Some(*patch.select_nth_unstable(rank).1)
}
