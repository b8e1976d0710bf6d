//! What the applicant does in the capture flow: each step, the pictures and their analysis, and the submit.

pub(crate) mod analyse;
pub mod branding;
pub mod check;
pub mod choose_document;
pub mod consent;
pub mod decline;
pub mod details;
pub(crate) mod findings;
pub mod open_link;
pub mod postcode;
pub mod progress;
pub mod rectify;
pub mod result;
pub mod retake;
pub mod retake_selfie;
pub mod show_picture;
pub mod strips;
pub mod submit;
pub mod switch_device;
pub mod take;
