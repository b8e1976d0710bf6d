//! The capture flow, from the link to the submit.

mod live;
mod open_link;
mod pictures;
mod retake;
mod submit;
mod waiting;
