//! Decisions, and what recognises a document or a face in later sessions.

pub mod decisions;
pub mod identities;
