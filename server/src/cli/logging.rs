//! Logs go to stderr; results of commands go to stdout. Types (`Personal`, `Secret`) keep out what must never be logged, and
//! routes are logged instead of paths.

use crate::config::Log;
use std::io::{IsTerminal as _, stderr};
use tracing_subscriber::{EnvFilter, fmt};

/// Starts logging. A second call does nothing.
pub(super) fn start(log: &Log) {
    let filter = EnvFilter::try_new(&log.level).unwrap_or_else(|_| EnvFilter::new("info"));
    let builder = fmt()
        .with_env_filter(filter)
        .with_writer(stderr)
        // Otherwise a line that cannot be written is reported on stderr, too, which panics: whoever reads the log may have ended first.
        .log_internal_errors(false)
        .with_ansi(stderr().is_terminal());
    drop(if log.json {
        builder.json().try_init()
    } else {
        builder.try_init()
    });
}
