//! The program `honnin`.

use std::process::ExitCode;
use tikv_jemallocator::Jemalloc;

/// Pictures are processed in buffers of megabytes on many threads; this allocator retains the least memory
/// (docs/decisions/0018).
#[global_allocator]
static ALLOCATOR: Jemalloc = Jemalloc;

fn main() -> ExitCode {
    server::cli::run()
}
