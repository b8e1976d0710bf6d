//! What the camera sees, frame by frame: sharpness, glare, exposure, the card's outline, stillness, and the gate that fires
//! the shutter. Pure and without I/O; the same code runs on the phone as WASM and on the server, so hint and judgement agree.
//! It never says who or what is in the picture.

pub mod frame;
pub mod gate;
pub mod geometry;
mod glare;
mod lines;
pub mod outline;
pub mod quality;
pub mod regions;
mod sharpness;
pub mod stillness;
