//! Background work: the worker that runs due jobs, the hourly sweep, and what waits.

pub mod backlog;
mod clock_jump;
pub mod lease;
pub mod sweep;
pub mod worker;
