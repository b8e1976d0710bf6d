//! Background jobs: what is swept, and what a clock that jumps may do.

mod chain;
mod clock;
mod precedence;
mod sweep;
