//! Encrypted pictures in a folder.

use domain::ids::{SessionId, TenantId};
use store::{StoreError, capture::pictures::Pictures, vault::AssociatedData};
use testkit::databases::sqlite;

fn session(n: u8) -> SessionId {
    SessionId::from_random([n; 16])
}

#[tokio::test]
async fn a_picture_is_found_after_a_restart_and_is_not_readable_in_the_folder() {
    let backend = sqlite().await;
    let key = backend.vault().await.take().await.unwrap();
    let (tenant, id) = (TenantId::from_random([9; 16]), session(1));
    let place = AssociatedData {
        tenant: &tenant,
        session: &id,
        name: "document-front",
    };
    let picture = b"a picture of a passport ".repeat(4_000);
    backend
        .pictures()
        .put(&id, "document-front", key.seal(&place, &picture).unwrap())
        .await
        .unwrap();

    let sealed = backend.pictures().find(&id, "document-front").await.unwrap().unwrap();
    assert!(!sealed.windows(8).any(|window| window == b"passport"));
    assert_eq!(key.open(&place, &sealed).unwrap().expose(), &picture);
}

#[tokio::test]
async fn putting_again_replaces_and_what_is_not_there_is_not_found() {
    let backend = sqlite().await;
    let pictures = backend.pictures();
    pictures.put(&session(1), "front", vec![1]).await.unwrap();
    pictures.put(&session(1), "front", vec![2, 3]).await.unwrap();
    assert_eq!(
        pictures.find(&session(1), "front").await.unwrap().unwrap().as_ref(),
        [2, 3]
    );
    assert!(pictures.find(&session(1), "back").await.unwrap().is_none());
    assert!(pictures.find(&session(2), "front").await.unwrap().is_none());
    pictures.delete(&session(1), "front").await.unwrap();
    pictures.delete(&session(1), "front").await.unwrap();
    assert!(pictures.find(&session(1), "front").await.unwrap().is_none());
}

#[tokio::test]
async fn deleting_a_session_takes_its_pictures_and_no_others() {
    let backend = sqlite().await;
    let pictures = backend.pictures();
    for (id, name) in [(1, "back"), (1, "front"), (1, "selfie-1"), (2, "front")] {
        pictures.put(&session(id), name, vec![id]).await.unwrap();
    }
    assert_eq!(
        pictures.list_names(&session(1)).await.unwrap(),
        ["back", "front", "selfie-1"]
    );
    assert_eq!(pictures.delete_session(&session(1)).await.unwrap(), 3);
    assert_eq!(pictures.delete_session(&session(1)).await.unwrap(), 0);
    assert_eq!(pictures.list_names(&session(1)).await.unwrap(), Vec::<String>::new());
    assert_eq!(pictures.list_names(&session(2)).await.unwrap(), ["front"]);
}

#[tokio::test]
async fn deleting_a_session_also_takes_what_a_crash_left_half_stored() {
    let backend = sqlite().await;
    let pictures = backend.pictures();
    pictures.put(&session(1), "front", vec![1]).await.unwrap();
    let shelf = std::fs::read_dir(backend.folder().join("pictures"))
        .unwrap()
        .next()
        .unwrap();
    let folder = shelf.unwrap().path().join(session(1).as_str());
    // The object store first writes to such a name.
    std::fs::rename(folder.join("front"), folder.join("front#1")).unwrap();
    let found = |pictures: Pictures| async move {
        let mut found = Vec::new();
        for shelf in 0..=255 {
            found.extend(pictures.list_sessions(shelf).await.unwrap());
        }
        found
    };
    assert_eq!(found(pictures.clone()).await, [session(1)], "a sweep sees it");
    pictures.delete_session(&session(1)).await.unwrap();
    assert!(!folder.exists());
    assert!(found(pictures).await.is_empty());
}

#[tokio::test]
async fn every_session_with_pictures_stands_on_exactly_one_shelf() {
    let backend = sqlite().await;
    let pictures = backend.pictures();
    for n in 0..20 {
        pictures.put(&session(n), "front", vec![n]).await.unwrap();
    }
    let mut found = Vec::new();
    for shelf in 0..=255 {
        found.extend(pictures.list_sessions(shelf).await.unwrap());
    }
    found.sort();
    assert_eq!(found, (0..20).map(session).collect::<Vec<_>>());
}

#[tokio::test]
async fn a_name_cannot_leave_its_folder() {
    let backend = sqlite().await;
    let pictures = backend.pictures();
    for name in ["", "..", "../x", "a/b", "A", "a.jpg", "a b", &"a".repeat(101)] {
        assert!(
            matches!(
                pictures.put(&session(1), name, vec![1]).await,
                Err(StoreError::Refused(_))
            ),
            "{name}"
        );
    }
}

#[cfg(unix)]
#[tokio::test]
async fn the_folder_is_its_owners_alone() {
    use std::os::unix::fs::PermissionsExt;
    let backend = sqlite().await;
    let folder = backend.folder().join("deep/pictures");
    let pictures = Pictures::in_folder(&folder).unwrap();
    assert_eq!(std::fs::metadata(&folder).unwrap().permissions().mode() & 0o777, 0o700);
    pictures.check().await.unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn putting_while_the_last_picture_goes_loses_nothing() {
    let backend = sqlite().await;
    let pictures = backend.pictures();
    let id = session(1);
    for round in 0..50_u8 {
        pictures.put(&id, "old", vec![round]).await.unwrap();
        let (put, deleted) = tokio::join!(pictures.put(&id, "new", vec![round]), pictures.delete(&id, "old"));
        put.unwrap();
        deleted.unwrap();
        assert_eq!(pictures.find(&id, "new").await.unwrap().unwrap().as_ref(), [round]);
        pictures.delete(&id, "new").await.unwrap();
    }
}
