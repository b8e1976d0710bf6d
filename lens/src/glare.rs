//! Blown-out highlights: bright blobs that fade into clearly darker paper, as a reflection does. White print has hard edges, and
//! overexposed white paper fades into paper that is nearly as white.

use crate::frame::{Area, Plane};
use crate::regions::regions;
use std::collections::BTreeMap;

/// What counts as burnt out. The next is tried where by the one before it the paper is, too, since the camera took it too bright: a
/// reflection reaches the brightest value, and most of the paper does not.
const BURNT: [Burnt; 3] = [
    Burnt { from: 249, paper: 241 },
    Burnt { from: 252, paper: 246 },
    Burnt { from: 254, paper: 250 },
];
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
/// A lamp's reflection has no gaps: in each of its rows, nearly everything between its ends belongs to it. Paper that is too bright has
/// gaps where print is. Of 54 rendered reflections the least solid had 0.86; two bright papers had 0.65 and 0.77.
const SOLID: f32 = 0.8;
/// The share of a blob's border that must fade.
const FADING: f32 = 0.6;
/// How far outside a blob the paper is looked at, in pixels: in the soft rim of a reflection, and beyond it.
const RIM: isize = 8;
const BEYOND: isize = 40;
/// Half the side of the patch whose brightest pixels count as the paper, in pixels: wider than a stroke of print.
const PATCH: isize = 4;
const PATCH_PIXELS: usize = (2 * PATCH as usize + 1).pow(2);
/// The paper beyond a reflection is darker than the rim by this much: a white field on tinted paper has none.
const DARKER: u8 = 4;
/// The share of a fading border beyond which the paper must be darker. Print, portraits and other reflections hide the rest.
const STANDING_OUT: f32 = 0.2;

#[derive(Clone, Copy)]
struct Burnt {
    /// From this value on a pixel is burnt out.
    from: u8,
    /// Up to this value it can be the paper beyond a reflection: light that falls unevenly takes less off over that distance.
    paper: u8,
}

/// The cells of an area, row by row.
struct Cells<'a> {
    area: Area,
    columns: usize,
    burnt: &'a [bool],
}

/// Share of the area's pixels that lie in burnt-out highlights, 0 to 1.
pub(crate) fn share(plane: &Plane, area: Area) -> f32 {
    let (columns, rows) = ((area.right - area.left) / CELL, (area.bottom - area.top) / CELL);
    if columns == 0 || rows == 0 {
        return 0.0;
    }
    for limits in BURNT {
        let burnt: Vec<bool> = (0..columns * rows)
            .map(|i| {
                cell_burnt(
                    plane,
                    limits.from,
                    area.left + i % columns * CELL,
                    area.top + i / columns * CELL,
                )
            })
            .collect();
        let share = |blob: &Vec<usize>| blob.len() as f32 / burnt.len() as f32;
        let cells = Cells {
            area,
            columns,
            burnt: &burnt,
        };
        let blobs = regions(&burnt, columns);
        if blobs.iter().any(|blob| share(blob) > PAPER) {
            continue;
        }
        let hides = |blob: &&Vec<usize>| {
            share(blob) >= GLINT && is_solid(columns, blob) && is_reflection(plane, limits, &cells, blob)
        };
        // The sum of no numbers is -0.
        return blobs.iter().filter(hides).map(share).fold(0.0, |sum, blob| sum + blob);
    }
    0.0
}

/// Whether most pixels of a cell are at least this bright.
fn cell_burnt(plane: &Plane, from: u8, left: usize, top: usize) -> bool {
    let burnt = (top..top + CELL)
        .flat_map(|y| &plane.values[y * plane.width + left..y * plane.width + left + CELL])
        .filter(|&&v| v >= from)
        .count();
    burnt * 4 >= CELL * CELL * 3
}

/// Whether a blob has few gaps.
fn is_solid(columns: usize, blob: &[usize]) -> bool {
    let mut rows: BTreeMap<usize, (usize, usize)> = BTreeMap::new();
    for (row, column) in blob.iter().map(|cell| (cell / columns, cell % columns)) {
        let (first, last) = rows.entry(row).or_insert((column, column));
        (*first, *last) = ((*first).min(column), (*last).max(column));
    }
    let spanned: usize = rows.values().map(|(first, last)| last - first + 1).sum();
    blob.len() as f32 >= SOLID * spanned as f32
}

/// Whether the blob is a reflection: most of its border is a halo, and beyond most of the halo the paper is darker.
fn is_reflection(plane: &Plane, limits: Burnt, cells: &Cells<'_>, blob: &[usize]) -> bool {
    let (mut border, mut soft, mut seen, mut darker) = (0_u32, 0_u32, 0_u32, 0_u32);
    for (at, outwards) in edges(cells, blob) {
        border += 1;
        if value(plane, along(at, outwards, RING)).is_none_or(|value| value < HALO) {
            continue;
        }
        soft += 1;
        let paper_at = |far| paper(plane, cells.area, along(at, outwards, far));
        if let Some((rim, beyond)) = paper_at(RIM).zip(paper_at(BEYOND)) {
            seen += 1;
            darker += u32::from(beyond <= limits.paper && beyond.saturating_add(DARKER) <= rim);
        }
    }
    // A halo that reaches to the end of the area all around leaves nothing to compare with.
    border > 0 && soft as f32 >= FADING * border as f32 && darker as f32 >= STANDING_OUT * seen as f32
}

/// Where the blob ends within the area: pixels on its edge, each with the direction that leads outwards.
fn edges(cells: &Cells<'_>, blob: &[usize]) -> impl Iterator<Item = ((isize, isize), (isize, isize))> {
    let &Cells { area, columns, burnt } = cells;
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
    if !inside {
        return None;
    }
    let (mut patch, mut filled) = ([0_u8; PATCH_PIXELS], 0);
    for (dy, dx) in (-PATCH..=PATCH).flat_map(|dy| (-PATCH..=PATCH).map(move |dx| (dy, dx))) {
        if let Some(value) = value(plane, (x + dx, y + dy)) {
            patch[filled] = value;
            filled += 1;
        }
    }
    let patch = &mut patch[..filled];
    // Below the length, since four fifths of it are.
    let rank = patch.len() * 4 / 5;
    Some(*patch.select_nth_unstable(rank).1)
}

#[cfg(test)]
mod tests {
    use super::*;

    const SIZE: (usize, usize) = (400, 250);

    /// Paper with lines of print, both as bright as these say.
    fn page(paper: impl Fn(usize, usize) -> f32, lamp: Option<(f32, f32)>) -> Plane {
        let (width, height) = SIZE;
        let value = |x: usize, y: usize| {
            let is_print = y % 40 < 6 && x % 7 < 4 && (40..360).contains(&x);
            let light = lamp.map_or(0.0, |(at_x, at_y)| {
                let far = (x as f32 - at_x).hypot(y as f32 - at_y) / 50.0;
                330.0 * (-far.powi(3)).exp()
            });
            let own = if is_print { 60.0 } else { paper(x, y) };
            (own + light).clamp(0.0, 255.0) as u8
        };
        let values = (0..height).flat_map(|y| (0..width).map(move |x| (x, y)));
        Plane {
            width,
            height,
            values: values.map(|(x, y)| value(x, y)).collect(),
        }
    }

    fn share_of(page: &Plane) -> f32 {
        share(page, page.area())
    }

    #[test]
    fn a_lamp_is_seen_on_dark_and_bright_paper_and_beside_a_field_as_white_as_itself() {
        let papers: [fn(usize, usize) -> f32; 3] =
            [|_, _| 200.0, |_, _| 235.0, |x, _| if x < 220 { 251.0 } else { 236.0 }];
        for (index, paper) in papers.into_iter().enumerate() {
            let share = share_of(&page(paper, Some((260.0, 120.0))));
            assert!(share > 0.03, "{share} on paper {index}");
            assert_eq!(share_of(&page(paper, None)), 0.0);
        }
    }

    #[test]
    fn a_disc_is_solid_and_paper_with_a_portrait_and_print_on_it_is_not() {
        let blob = |is_in: fn(usize, usize) -> bool| -> Vec<usize> {
            (0..400).filter(|cell| is_in(cell % 20, cell / 20)).collect()
        };
        assert!(is_solid(
            20,
            &blob(|x, y| x.abs_diff(10).pow(2) + y.abs_diff(10).pow(2) < 60)
        ));
        assert!(
            is_solid(20, &blob(|x, y| y % 3 > 0 && x < 15)),
            "lines of print from end to end"
        );
        assert!(
            !is_solid(20, &blob(|x, y| !(4..10).contains(&x) || y > 16)),
            "a portrait"
        );
    }
}
