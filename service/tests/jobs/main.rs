//! Background jobs: what is swept, and what a clock that jumps may do.

#![expect(clippy::unwrap_used, reason = "a test may panic")]
#![expect(clippy::print_stdout, reason = "prints how long it took")]

mod clock;
mod sweep;
