//! Webhooks held after a restore: a file in the data folder, so that no start forgets it.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

const FILE: &str = "hold-deliveries";

fn file(data: &Path) -> PathBuf {
    data.join(FILE)
}

/// Holds webhooks from the next start on.
///
/// # Errors
/// If the file cannot be written.
pub(crate) fn begin(data: &Path) -> io::Result<()> {
    fs::write(
        file(data),
        "This installation was restored. Start it with --send-deliveries to send webhooks.\n",
    )?;
    fs::File::open(data)?.sync_all()
}

/// Sends webhooks again.
///
/// # Errors
/// If the file cannot be removed.
pub(crate) fn end(data: &Path) -> io::Result<()> {
    match fs::remove_file(file(data)) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

/// Whether webhooks are held.
pub(crate) fn is_on(data: &Path) -> bool {
    file(data).exists()
}
