//! The capture flow: attempts with their answers, pictures and their rows, and the browsers that take part.

pub mod attempts;
pub mod bucket;
pub mod capture_cookies;
pub mod captures;
pub mod frame_prints;
pub mod pictures;
