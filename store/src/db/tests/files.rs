//! Who may read the files of a database.

use super::*;
use std::{fs, os::unix::fs::PermissionsExt as _};

/// Detects if the file is left to SQLite, which lets everybody read it as far as the process's mask does.
#[tokio::test]
async fn nobody_but_its_owner_reads_a_database_or_its_logs() {
    let backend = sqlite().await;
    for ending in ["", "-wal", "-shm"] {
        let file = backend.folder().join(format!("honnin.db{ending}"));
        let mode = fs::metadata(&file).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600, "{}", file.display());
    }
}
