//! Sessions: creating, listing, reading, reprocessing, cancelling, erasing.

mod by_hand;
mod create;
mod ending;
mod limits;
mod list;
mod read;
mod reprocess;
mod response_format;
