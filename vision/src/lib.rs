//! Pictures to findings.

pub mod model;
mod nn;
pub mod picture;
pub mod raster;
