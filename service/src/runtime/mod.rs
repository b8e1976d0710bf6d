//! What all operations are built on, without knowing any of them: clock, randomness, the threads that analyse pictures, wake-ups, tokens, sealed
//! JSON, data keys for what is about to be stored, lists that are read page by page, what is counted once for many, work that continues without its
//! caller, pauses of work that writes unit after unit.

pub mod analyser;
pub(crate) mod bulk;
pub mod clock;
pub(crate) mod clock_trust;
pub mod counted;
pub(crate) mod cpu_pool;
pub(crate) mod fresh_key;
pub(crate) mod job_error;
pub(crate) mod lease_clock;
pub mod master_key;
pub(crate) mod pages;
pub mod random;
pub mod readiness;
pub(crate) mod sealed_json;
pub(crate) mod to_completion;
pub mod token;
pub(crate) mod turns;
pub(crate) mod wake_up;
