//! Sessions: created, ended by their deadline, given a new link, counted.

mod blind_index;
mod counted;
mod create;
mod expire;
mod list;
mod overview;
mod reissue_link;
