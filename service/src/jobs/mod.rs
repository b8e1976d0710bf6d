//! Background work: the worker that runs due jobs, the hourly sweep, and what waits.

pub mod backlog;
pub mod sweep;
pub mod worker;
