//! Pictures to findings.

mod face;
pub mod model;
mod nn;
pub mod picture;
pub mod raster;
