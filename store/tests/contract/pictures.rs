//! Encrypted pictures in a folder and, if `HONNIN_TEST_S3` names a server, in a bucket.

use domain::ids::{SessionId, TenantId};
use store::{
    StoreError,
    capture::pictures::{Pictures, parse_path, path_of},
    vault::{AssociatedData, SealedValue},
};
use testkit::{
    buckets,
    databases::{Backend, sqlite},
};

/// Pictures in every kind of place, which knows them again after a restart.
struct Place {
    name: &'static str,
    backend: Backend,
    bucket: Option<buckets::Bucket>,
}

impl Place {
    fn pictures(&self) -> Pictures {
        match &self.bucket {
            None => self.backend.pictures(),
            Some(bucket) => Pictures::in_bucket(bucket).unwrap(),
        }
    }
}

async fn places() -> Vec<Place> {
    let mut all = vec![Place {
        name: "folder",
        backend: sqlite().await,
        bucket: None,
    }];
    if let Some(bucket) = buckets::fresh().await {
        all.push(Place {
            name: "bucket",
            backend: sqlite().await,
            bucket: Some(bucket),
        });
    }
    all
}

fn session(n: u8) -> SessionId {
    SessionId::from_random([n; 16])
}

#[tokio::test]
async fn a_picture_is_found_after_a_restart_and_is_not_readable_where_it_is() {
    for place in places().await {
        let key = place.backend.vault().await.take().await.unwrap();
        let (tenant, id) = (TenantId::from_random([9; 16]), session(1));
        let sealed_for = AssociatedData::new(&tenant, &id, SealedValue::Picture("document-front"));
        // Several megabytes, as a photo has.
        let picture = b"a picture of a passport ".repeat(200_000);
        place
            .pictures()
            .put(&id, "document-front", key.seal(&sealed_for, &picture).unwrap())
            .await
            .unwrap();
        let sealed = place.pictures().find(&id, "document-front").await.unwrap().unwrap();
        assert!(!sealed.windows(8).any(|window| window == b"passport"), "{}", place.name);
        assert_eq!(
            key.open(&sealed_for, &sealed).unwrap().expose(),
            &picture,
            "{}",
            place.name
        );
    }
}

#[tokio::test]
async fn putting_again_replaces_and_what_is_not_there_is_not_found() {
    for place in places().await {
        let (name, pictures) = (place.name, place.pictures());
        pictures.check().await.unwrap();
        pictures.put(&session(1), "front", vec![1]).await.unwrap();
        pictures.put(&session(1), "front", vec![2, 3]).await.unwrap();
        let found = pictures.find(&session(1), "front").await.unwrap().unwrap();
        assert_eq!(found.as_ref(), [2, 3], "{name}");
        assert!(pictures.find(&session(1), "back").await.unwrap().is_none(), "{name}");
        assert!(pictures.find(&session(2), "front").await.unwrap().is_none(), "{name}");
        pictures.delete(&session(1), "front").await.unwrap();
        pictures.delete(&session(1), "front").await.unwrap();
        assert!(pictures.find(&session(1), "front").await.unwrap().is_none(), "{name}");
    }
}

#[tokio::test]
async fn deleting_a_session_takes_its_pictures_and_no_others() {
    for place in places().await {
        let (name, pictures) = (place.name, place.pictures());
        for (id, picture) in [(1, "back"), (1, "front"), (1, "selfie-1"), (2, "front")] {
            pictures.put(&session(id), picture, vec![id]).await.unwrap();
        }
        let names = pictures.list_names(&session(1)).await.unwrap();
        assert_eq!(names, ["back", "front", "selfie-1"], "{name}");
        assert_eq!(pictures.delete_session(&session(1)).await.unwrap(), 3, "{name}");
        assert_eq!(pictures.delete_session(&session(1)).await.unwrap(), 0, "{name}");
        assert_eq!(
            pictures.list_names(&session(1)).await.unwrap(),
            Vec::<String>::new(),
            "{name}"
        );
        assert_eq!(pictures.list_names(&session(2)).await.unwrap(), ["front"], "{name}");
    }
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
    for place in places().await {
        let pictures = place.pictures();
        for n in 0..20 {
            pictures.put(&session(n), "front", vec![n]).await.unwrap();
        }
        let mut found = Vec::new();
        for shelf in 0..=255 {
            found.extend(pictures.list_sessions(shelf).await.unwrap());
        }
        found.sort();
        assert_eq!(found, (0..20).map(session).collect::<Vec<_>>(), "{}", place.name);
        let mut all = Vec::new();
        for shelf in 0..=255 {
            let paths = pictures.list_all(shelf).await.unwrap();
            all.extend(paths.iter().map(|path| parse_path(path).unwrap()));
        }
        all.sort();
        let named = found.into_iter().map(|session| (session, "front".to_owned()));
        assert_eq!(all, named.collect::<Vec<_>>(), "{}", place.name);
    }
}

/// Whatever is done in a folder of pictures that is not the right one is an outage.
async fn refuses_everything(pictures: &Pictures, id: &SessionId) {
    let refused = [
        pictures.put(id, "back", vec![1]).await,
        pictures.find(id, "back").await.map(drop),
        pictures.delete(id, "front").await,
        pictures.delete_session(id).await.map(drop),
        // Whoever removes what is listed would take it for removed.
        pictures.list_names(id).await.map(drop),
        pictures.list_sessions(0).await.map(drop),
        pictures.list_all(0).await.map(drop),
        pictures.find_newest(id).await.map(drop),
        pictures.check().await,
    ];
    for refused in refused {
        assert!(matches!(refused, Err(StoreError::Unavailable(_))), "{refused:?}");
    }
}

/// Planted faults that this test detects: an erasure that finds nothing to remove; a picture stored in the folder on which a disk is mounted
/// later.
#[tokio::test]
async fn a_folder_that_is_gone_is_an_outage_and_no_picture_is_taken_for_absent_or_removed() {
    let backend = sqlite().await;
    let (pictures, folder) = (backend.pictures(), backend.folder().join("pictures"));
    let (id, elsewhere) = (session(1), folder.with_file_name("elsewhere"));
    pictures.put(&id, "front", vec![1]).await.unwrap();
    std::fs::rename(&folder, &elsewhere).unwrap();
    refuses_everything(&pictures, &id).await;
    assert!(!folder.exists());
    std::fs::write(&folder, "in its place").unwrap();
    refuses_everything(&pictures, &id).await;
    std::fs::remove_file(&folder).unwrap();
    std::fs::rename(&elsewhere, &folder).unwrap();
    pictures.check().await.unwrap();
    assert_eq!(pictures.delete_session(&id).await.unwrap(), 1);
}

/// Planted fault that this test detects: looking only whether a folder is there.
#[tokio::test]
async fn a_folder_whose_disk_is_not_mounted_is_an_outage_although_the_one_below_is_there() {
    let mounted = tempfile::tempdir_in("/dev/shm").unwrap();
    let below = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let folder = below.path().join("pictures");
    std::os::unix::fs::symlink(mounted.path(), &folder).unwrap();
    let pictures = Pictures::in_folder(&folder).unwrap();
    let id = session(1);
    pictures.put(&id, "front", vec![1]).await.unwrap();
    std::fs::remove_file(&folder).unwrap();
    std::fs::create_dir(&folder).unwrap();
    refuses_everything(&pictures, &id).await;
    assert!(std::fs::read_dir(&folder).unwrap().next().is_none());
    std::fs::remove_dir(&folder).unwrap();
    std::os::unix::fs::symlink(mounted.path(), &folder).unwrap();
    pictures.check().await.unwrap();
    assert_eq!(pictures.delete_session(&id).await.unwrap(), 1);
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

#[test]
fn only_the_path_of_a_picture_is_one() {
    let path = path_of(&session(1), "front").unwrap();
    assert_eq!(parse_path(&path), Some((session(1), "front".to_owned())));
    let (shelf, rest) = path.split_once('/').unwrap();
    let elsewhere = format!("{}/{rest}", if shelf == "00" { "01" } else { "00" });
    let deeper = format!("{path}/x");
    for other in [
        "",
        "check",
        "00/x/front",
        rest,
        &elsewhere,
        &deeper,
        &path.replace("front", "Front"),
    ] {
        assert_eq!(parse_path(other), None, "{other}");
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
