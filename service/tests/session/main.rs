//! Sessions: created, ended by their deadline, given a new link, counted.
#![expect(clippy::unwrap_used, reason = "a test may panic")]

mod blind_index;
mod counted;
mod create;
mod expire;
mod list;
mod overview;
mod reissue_link;
