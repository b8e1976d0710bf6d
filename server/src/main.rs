//! The program `honnin`.

use std::process::ExitCode;

/// Pictures are processed in buffers of megabytes on many threads; this allocator retains the least memory
/// (docs/decisions/0018).
#[cfg(feature = "jemalloc")]
#[global_allocator]
static ALLOCATOR: tikv_jemallocator::Jemalloc = tikv_jemallocator::Jemalloc;

fn main() -> ExitCode {
    server::cli::run()
}
