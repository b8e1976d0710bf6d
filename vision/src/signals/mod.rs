//! Cheap signs of a copy: no colour, or the raster of a screen or a printer. Signs, not proofs.

mod grey;
mod peaks;

pub(crate) use grey::grey_share;
pub(crate) use peaks::raster_z;
