//! Burnt-out highlights: bright blobs that fade into their surroundings, as a reflection does and white paper does not.

use crate::frame::{Area, Plane};

/// From this value on a pixel is taken as burnt out.
const BURNT: u8 = 249;
/// Side of the cells that blobs are made of, in pixels.
const CELL: usize = 4;
/// How far outside a blob the fading is looked at, in pixels.
const RING: usize = 3;
/// A pixel that far outside still this bright belongs to a reflection's halo.
const HALO: u8 = 212;
/// A blob smaller than this many cells is a glint on an edge.
const MIN_CELLS: usize = 8;
/// A blob over more than this share of the area is paper, not a reflection.
const PAPER: f32 = 0.45;
/// The share of a blob's border that must fade.
const FADING: f32 = 0.6;

/// Share of the area's pixels that lie in burnt-out highlights, 0 to 1.
pub(crate) fn share(plane: &Plane, area: Area) -> f32 {
    let (columns, rows) = ((area.right - area.left) / CELL, (area.bottom - area.top) / CELL);
    if columns == 0 || rows == 0 {
        return 0.0;
    }
    let burnt: Vec<bool> = (0..columns * rows)
        .map(|i| cell_burnt(plane, area.left + i % columns * CELL, area.top + i / columns * CELL))
        .collect();
    let mut seen = vec![false; burnt.len()];
    let mut total = 0;
    for start in 0..burnt.len() {
        if burnt[start] && !seen[start] {
            let blob = flood(start, columns, &burnt, &mut seen);
            let paper = blob.len() as f32 > PAPER * burnt.len() as f32;
            if blob.len() >= MIN_CELLS && !paper && fades(plane, area, columns, &burnt, &blob) {
                total += blob.len();
            }
        }
    }
    total as f32 / burnt.len() as f32
}

fn cell_burnt(plane: &Plane, left: usize, top: usize) -> bool {
    let burnt = (top..top + CELL)
        .flat_map(|y| &plane.values[y * plane.width + left..y * plane.width + left + CELL])
        .filter(|&&v| v >= BURNT)
        .count();
    burnt * 4 >= CELL * CELL * 3
}

/// The cells connected with `start` over their sides.
fn flood(start: usize, columns: usize, burnt: &[bool], seen: &mut [bool]) -> Vec<usize> {
    let mut blob = vec![start];
    seen[start] = true;
    let mut next = 0;
    while let Some(&cell) = blob.get(next) {
        next += 1;
        for neighbour in neighbours(cell, columns, burnt.len()) {
            if burnt[neighbour] && !seen[neighbour] {
                seen[neighbour] = true;
                blob.push(neighbour);
            }
        }
    }
    blob
}

fn neighbours(cell: usize, columns: usize, cells: usize) -> impl Iterator<Item = usize> {
    let column = cell % columns;
    [
        (column > 0).then(|| cell - 1),
        (column + 1 < columns).then_some(cell + 1),
        cell.checked_sub(columns),
        (cell + columns < cells).then_some(cell + columns),
    ]
    .into_iter()
    .flatten()
}

/// Whether most of the blob's border is a halo: the pixel `RING` outside is bright still, though no longer burnt out.
fn fades(plane: &Plane, area: Area, columns: usize, burnt: &[bool], blob: &[usize]) -> bool {
    let (mut border, mut soft) = (0_u32, 0_u32);
    for &cell in blob {
        let (cx, cy) = ((cell % columns) as isize, (cell / columns) as isize);
        for (dx, dy) in [(-1_isize, 0_isize), (1, 0), (0, -1), (0, 1)] {
            let neighbour = (cy + dy) * columns as isize + cx + dx;
            let inside = (0..columns as isize).contains(&(cx + dx))
                && (0..(burnt.len() / columns) as isize).contains(&(cy + dy));
            if !inside || burnt[neighbour as usize] {
                continue;
            }
            border += 1;
            let half = CELL as isize / 2;
            let reach = half + RING as isize;
            let x = area.left as isize + cx * CELL as isize + half + dx * reach;
            let y = area.top as isize + cy * CELL as isize + half + dy * reach;
            let value = plane
                .values
                .get((y * plane.width as isize + x) as usize)
                .copied()
                .unwrap_or(0);
            if value >= HALO {
                soft += 1;
            }
        }
    }
    border > 0 && soft as f32 >= FADING * border as f32
}
