//! The progress of a long command, on standard error.

use super::Failure;
use std::io::{IsTerminal as _, Write as _};

/// Tells that `done` of `total` are done: each on a terminal, every hundredth in a log.
pub(super) fn progress(done: usize, total: usize) -> Result<(), Failure> {
    let mut out = std::io::stderr();
    if out.is_terminal() {
        write!(out, "\r{done} of {total}")?;
        if done == total {
            writeln!(out)?;
        }
    } else if done.is_multiple_of(100) || done == total {
        writeln!(out, "{done} of {total}")?;
    }
    Ok(())
}
