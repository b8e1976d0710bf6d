//! Who may read the files of a database, and that one that cannot be opened is named.

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

#[tokio::test]
async fn a_file_that_cannot_be_opened_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("honnin.db");
    let url = format!("sqlite://{}", file.display());
    let refusal = async || {
        Db::open(&url, DbOptions::default())
            .await
            .map(drop)
            .unwrap_err()
            .to_string()
    };
    fs::write(&file, [b'x'; 4096]).unwrap();
    let refused = refusal().await;
    assert!(refused.contains(&format!("{}: ", file.display())), "{refused}");
    fs::remove_file(&file).unwrap();
    fs::create_dir(&file).unwrap();
    let refused = refusal().await;
    let named = format!("{}: ", file.display());
    assert!(
        refused.contains(&named) && refused.contains("unable to open database file"),
        "{refused}"
    );
}
