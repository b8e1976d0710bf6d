//! Sessions: creating, reading, reprocessing.

mod by_hand;
mod create;
mod limits;
mod read;
mod reprocess;
mod response_format;
