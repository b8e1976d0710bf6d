//! Sessions: created, ended by their deadline, given a new link, counted.

mod blind_index;
mod create;
mod expire;
mod overview;
mod reissue_link;
