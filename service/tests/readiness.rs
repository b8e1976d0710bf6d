//! Readiness reports what can be written, and is checked at a limited rate.

use domain::time::Millis;
use futures::{future::join_all, poll};
use service::runtime::{
    master_key::list_missing,
    readiness::{Readiness, readiness},
};
use std::{fs, pin::pin};
use store::vault::Rotation;
use testkit::{Harness, databases};

const WHOLE: Readiness = Readiness {
    database: true,
    keys: true,
    pictures: true,
    master_key: true,
};

/// How often a check wrote to the main database.
async fn checks(harness: &Harness) -> i64 {
    let done = "SELECT COALESCE(SUM(done), 0) FROM write_checks";
    databases::number_at(&harness.database.url, done).await
}

#[tokio::test]
async fn however_many_ask_and_leave_the_disk_is_written_to_once_in_five_seconds() {
    let harness = Harness::new().await;
    for period in 1..=3 {
        for _ in 0..50 {
            // Leaves as soon as it has to wait.
            assert!(poll!(pin!(readiness(&harness.honnin))).is_pending());
        }
        let found = join_all((0..50).map(|_| readiness(&harness.honnin))).await;
        assert!(found.iter().all(|found| *found == WHOLE), "{found:?}");
        harness.clock.advance(Millis(4_999));
        assert_eq!(readiness(&harness.honnin).await, WHOLE);
        assert_eq!(checks(&harness).await, period);
        harness.clock.advance(Millis(1));
    }
}

#[tokio::test]
async fn a_clock_that_was_set_back_does_not_keep_an_old_answer() {
    let harness = Harness::new().await;
    readiness(&harness.honnin).await;
    harness.clock.advance(Millis(-1));
    readiness(&harness.honnin).await;
    assert_eq!(checks(&harness).await, 2);
}

#[tokio::test]
async fn pictures_that_cannot_be_stored_are_told_and_so_is_their_return() {
    let harness = Harness::new().await;
    let pictures = harness.folder().join("pictures");
    fs::remove_dir_all(&pictures).unwrap();
    fs::write(&pictures, "in the way").unwrap();
    let without = Readiness {
        pictures: false,
        ..WHOLE
    };
    assert_eq!(readiness(&harness.honnin).await, without);
    fs::remove_file(&pictures).unwrap();
    fs::create_dir(&pictures).unwrap();
    harness.clock.advance(Millis::seconds(5));
    assert_eq!(readiness(&harness.honnin).await, WHOLE);
}

#[tokio::test]
async fn databases_that_are_closed_are_told() {
    let harness = Harness::new().await;
    harness.honnin.close().await.unwrap();
    let without = Readiness {
        database: false,
        keys: false,
        ..WHOLE
    };
    assert_eq!(readiness(&harness.honnin).await, without);
}

#[tokio::test]
async fn a_missing_version_of_the_master_key_is_told_if_it_encrypts_a_session_key_or_a_secret_and_so_is_its_return() {
    let mut harness = Harness::new().await;
    harness.create().await;
    harness.issue_secret().await;
    let file = harness.folder().join("master.key");
    Rotation::begin(&file).unwrap().add_version().unwrap();
    let both = fs::read_to_string(&file).unwrap();
    let newest: String = both
        .split_inclusive('\n')
        .filter(|line| !line.starts_with("1 "))
        .collect();
    harness.restart().await;
    let without = Readiness {
        master_key: false,
        ..WHOLE
    };
    // One session key has the new version and the others have not; then the secret alone has not.
    for anew in [1, u32::MAX] {
        assert_ne!(harness.vault.reseal_keys(anew).await.unwrap(), 0);
        assert_eq!(readiness(&harness.honnin).await, WHOLE);
        fs::write(&file, &newest).unwrap();
        harness.restart().await;
        assert_eq!(list_missing(&harness.honnin).await.unwrap(), [1]);
        assert_eq!(readiness(&harness.honnin).await, without);
        fs::write(&file, &both).unwrap();
        harness.restart().await;
        assert_eq!(readiness(&harness.honnin).await, WHOLE);
    }
}
