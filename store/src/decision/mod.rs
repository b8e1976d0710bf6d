//! Decisions, and the identities by which a document or a face is recognised in later sessions.

pub mod decisions;
pub mod identities;
