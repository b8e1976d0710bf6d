//! The program `honnin`.

use std::process::ExitCode;
use tikv_jemallocator::Jemalloc;

/// Pictures come and go in buffers of megabytes on many threads; it keeps the least of them (docs/decisions/0018).
#[global_allocator]
static ALLOCATOR: Jemalloc = Jemalloc;

fn main() -> ExitCode {
    server::cli::run()
}
