//! Signals for a command that is the first process of a container.

use std::{
    io::{self, Write as _},
    process::exit,
    thread,
};
use tokio::{
    runtime::Builder,
    signal::unix::{SignalKind, signal},
};

/// What a shell adds to the number of the signal that ended a command.
const ENDED_BY_SIGNAL: i32 = 128;

/// If this is the first process, SIGTERM and Ctrl-C end it at once from now on, as they end any other process. The kernel discards the signals that the
/// first process does not listen for: whoever stopped the container would wait until the command is done, or is killed.
///
/// # Errors
/// If the signals cannot be listened for.
pub(super) fn end_on_signal() -> io::Result<()> {
    if std::process::id() != 1 {
        return Ok(());
    }
    // Of its own: whatever a command is doing must not keep the signal waiting.
    let runtime = Builder::new_current_thread().enable_io().build()?;
    let listening = runtime.enter();
    let mut terminate = signal(SignalKind::terminate())?;
    let mut interrupt = signal(SignalKind::interrupt())?;
    drop(listening);
    let wait = move || {
        let (name, kind) = runtime.block_on(async {
            tokio::select! {
                _ = terminate.recv() => ("SIGTERM", SignalKind::terminate()),
                _ = interrupt.recv() => ("SIGINT", SignalKind::interrupt()),
            }
        });
        end_by(name, kind);
    };
    thread::Builder::new().name("signals".into()).spawn(wait).map(drop)
}

fn end_by(name: &str, kind: SignalKind) {
    // The reader may be gone; it ends all the same.
    drop(writeln!(io::stderr(), "honnin: ended by {name} before it was done"));
    exit(ENDED_BY_SIGNAL + kind.as_raw_value())
}
