//! Whether a face is on a card: a printed portrait has the card's edges around it.

use crate::geometry::is_inside;
use crate::raster::Raster;

/// A card takes in at least so many times the area of the face on it; the edges of a head or a poster's frame lie closer.
const LEAST_AREA: f32 = 2.0;
/// Places of the face asked for along each side.
const GRID: usize = 5;

/// Share of the face's box (left, top, width, height) that lies in the outline of a card; 0 where there is none.
pub(crate) fn share_in_card(picture: &Raster, [left, top, width, height]: [f32; 4]) -> f32 {
    let outline = picture.frame().and_then(|frame| lens::quality::look(&frame).outline);
    let Some(outline) = outline.filter(|outline| outline.area() >= LEAST_AREA * width * height) else {
        return 0.0;
    };
    let place = |index: usize| (index as f32 + 0.5) / GRID as f32;
    let places = (0..GRID * GRID).map(|i| [left + width * place(i % GRID), top + height * place(i / GRID)]);
    places.filter(|place| is_inside(&outline.corners, *place)).count() as f32 / (GRID * GRID) as f32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_face_on_a_card_is_in_it_and_one_beside_it_or_as_large_is_not() {
        let mut table = Raster::filled(800, 600, [60, 50, 45]);
        table.paste(&Raster::filled(540, 340, [225, 220, 210]), 130, 130);
        assert!(share_in_card(&table, [160.0, 180.0, 120.0, 160.0]) > 0.9);
        assert!(share_in_card(&table, [10.0, 10.0, 90.0, 100.0]) < 0.1);
        assert!(share_in_card(&table, [140.0, 140.0, 500.0, 320.0]) < 0.1, "fills it");
        assert!(share_in_card(&Raster::filled(800, 600, [60; 3]), [300.0, 200.0, 150.0, 200.0]) < 0.1);
    }
}
