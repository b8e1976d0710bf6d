//! Cheap signs of a copy: no colour, the raster of a screen or a printer, a card around a face; of a covered face or
//! document, and of a face that does not follow the light of the screen. Signs, not proofs.

mod card;
mod colour;
mod cover;
mod flashes;
mod grey;
mod grid;
mod light;
mod obstruction;
mod peaks;
mod rectified;
mod reflection;
mod spectrum;
mod strand;
mod veil;

pub(crate) use card::share_in_card;
pub(crate) use cover::covered;
pub(crate) use flashes::{followed, tint};
pub(crate) use grey::{grey_share, is_colourless};
pub(crate) use grid::grid;
pub(crate) use light::{brightness, mean, range};
pub(crate) use obstruction::{Ground, obstructed_share, surely_obstructed_share};
pub(crate) use peaks::{Rasters, rasters};
pub(crate) use rectified::Rectified;
pub(crate) use reflection::reflected_share;
pub(crate) use veil::veiled_share;
