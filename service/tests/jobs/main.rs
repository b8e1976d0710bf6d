//! Background jobs: what is swept, and what a clock that jumps may do.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

mod chain;
mod clock;
mod precedence;
mod sweep;
