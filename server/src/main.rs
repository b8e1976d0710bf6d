//! The program `honnin`.

use mimalloc::MiMalloc;
use std::process::ExitCode;

/// Pictures come and go in buffers of megabytes on many threads; it gives them back to the system (docs/decisions/0018).
#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

fn main() -> ExitCode {
    server::cli::run()
}
