//! Who may read the files of a database, that a file that cannot be opened is named, and that a missing one is not replaced by a new one.

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

/// Detects if the connection that writes is opened again as it was opened first: it would find an empty database, without a table, and call
/// every statement a bug.
#[tokio::test]
async fn no_database_is_begun_in_the_place_of_one_whose_disk_is_gone() {
    let folder = tempfile::tempdir().unwrap();
    let [mounted, away] = ["mounted", "away"].map(|name| folder.path().join(name));
    fs::create_dir(&mounted).unwrap();
    let url = format!("sqlite://{}", mounted.join("honnin.db").display());
    let db = Db::open(&url, OPTIONS).await.unwrap();
    let once = "CREATE TABLE once (number INTEGER PRIMARY KEY NOT NULL) STRICT; INSERT INTO once VALUES (7);";
    db.write(async move |tx| execute(tx, once).await).await.unwrap();
    fs::rename(&mounted, &away).unwrap();
    fs::create_dir(&mounted).unwrap();
    // As after a fault of the disk, SQLite gives the transaction up, and the next unit gets another connection.
    let given_up = db.write(async |tx| execute(tx, "INSERT OR ROLLBACK INTO once VALUES (7)").await);
    given_up.await.unwrap_err();
    let refused = db.write(async |tx| add(tx, "lost").await).await;
    assert!(matches!(refused, Err(StoreError::Unavailable(_))), "{refused:?}");
    // It is still empty.
    fs::remove_dir(&mounted).unwrap();
    fs::rename(&away, &mounted).unwrap();
    db.write(async |tx| add(tx, "afterwards").await).await.unwrap();
    assert_eq!(committed(&db).await, ["afterwards"]);
}
