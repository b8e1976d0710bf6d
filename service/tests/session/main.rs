//! Sessions: created, ended by their deadline, given a new link.

mod create;
mod expire;
mod reissue_link;
