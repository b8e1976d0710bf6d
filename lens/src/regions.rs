//! Connected parts of a grid of cells.

/// The parts of a grid, `columns` wide, whose marked cells touch by their sides: the cells of each.
#[must_use]
pub fn regions(marked: &[bool], columns: usize) -> Vec<Vec<usize>> {
    let mut left: Vec<bool> = marked.to_vec();
    let mut found = Vec::new();
    for start in 0..left.len() {
        if !std::mem::take(&mut left[start]) {
            continue;
        }
        let mut region = vec![start];
        let mut next = 0;
        while let Some(&cell) = region.get(next) {
            next += 1;
            for neighbour in neighbours(cell, columns, left.len()) {
                if std::mem::take(&mut left[neighbour]) {
                    region.push(neighbour);
                }
            }
        }
        found.push(region);
    }
    found
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_that_touch_by_a_side_are_one_part_and_those_that_touch_by_a_corner_are_two() {
        let grid = "##..\n..#.\n.##.";
        let marked: Vec<bool> = grid.chars().filter(|c| *c != '\n').map(|c| c == '#').collect();
        assert_eq!(regions(&marked, 4), [vec![0, 1], vec![6, 10, 9]]);
        assert!(regions(&[], 4).is_empty());
    }

    #[test]
    fn a_row_does_not_go_on_in_the_next() {
        assert_eq!(regions(&[false, true, true, false], 2).len(), 2);
    }
}
