//! The exclusive right of one backup to change a place of keys. Two overlapping backups could each remove what the other has just
//! copied, and no copy of the keys would be left.

use super::{BackupError, files, objects::Objects, place::Place};
use bytes::Bytes;
use domain::time::{Millis, Timestamp};
use rustix::fs::{FlockOperation, flock};
use std::{
    fs::{File, OpenOptions},
    path::Path,
    time::{Duration, Instant},
};
use tokio::{sync::oneshot, task::JoinHandle, time::timeout};

/// The file in a folder that is locked, and the object in a bucket that says who has the right. The file stays, and holds nothing.
pub(super) const CLAIM: &str = "backup-in-progress";

/// The object by which the server of a bucket says what time it is. It is removed at once.
const CLOCK: &str = "backup-clock";

/// How often a backup renews its mark.
const RENEWED: Duration = Duration::from_secs(60);
/// How old a mark is that belongs to a backup that was killed. Whoever is only paused for so long finds that it has been taken over.
const STALE: Millis = Millis::minutes(10);

/// What happens if the bucket of the keys has the mark of another backup, which may have been killed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stale {
    /// It is refused, unless the mark was not renewed for ten minutes.
    Refuse,
    /// The mark is replaced. A backup that is still running stops before it changes anything else.
    TakeOver,
}

/// The right to change a place of keys.
#[derive(Debug)]
pub(super) enum Claim<'a> {
    /// The system takes the lock back if this process ends, whatever ends it.
    Folder {
        /// Held as long as it is open.
        _lock: File,
    },
    /// A mark, with a random id.
    Bucket {
        /// Where it is.
        objects: &'a Objects,
        /// Which.
        id: String,
        /// What keeps it from seeming old.
        renewing: Renewing,
    },
}

/// A task that renews a mark. It ends when this is dropped.
#[derive(Debug)]
pub(super) struct Renewing {
    stop: oneshot::Sender<()>,
    task: JoinHandle<()>,
}

impl Renewing {
    /// Begins to renew a mark that was made `at` this time.
    fn begin(objects: Objects, id: String, at: Timestamp, every: Duration) -> Self {
        let (stop, mut stopped) = oneshot::channel();
        let made = Instant::now();
        let task = tokio::spawn(async move {
            while timeout(every, &mut stopped).await.is_err() {
                let since = i64::try_from(made.elapsed().as_millis()).unwrap_or(i64::MAX);
                match renew(&objects, &id, at.plus(Millis(since))).await {
                    Ok(true) => {}
                    Ok(false) => return,
                    Err(error) => tracing::warn!(%error, "the mark of this backup is not renewed; trying again"),
                }
            }
        });
        Self { stop, task }
    }

    /// Ends it, and waits until nothing is on its way any more.
    async fn end(self) {
        drop(self.stop);
        // It returns nothing.
        drop(self.task.await);
    }
}

/// Renews a mark, unless another backup has taken over. Returns whether it was renewed.
async fn renew(objects: &Objects, id: &str, now: Timestamp) -> Result<bool, BackupError> {
    if find(objects).await?.is_none_or(|mark| mark.id != id) {
        return Ok(false);
    }
    objects.write(CLAIM, content(id, now)).await?;
    Ok(true)
}

/// What the mark in a bucket says.
struct Mark {
    /// Whose it is.
    id: String,
    /// When it was renewed last; earlier versions do not say so.
    renewed_at: Option<Timestamp>,
}

impl Mark {
    fn parse(content: &[u8]) -> Self {
        let text = String::from_utf8_lossy(content);
        let (id, at) = text.split_once(' ').unwrap_or((&*text, ""));
        Self {
            id: id.to_owned(),
            renewed_at: at.parse().ok().map(Timestamp::from_millis),
        }
    }
}

fn content(id: &str, at: Timestamp) -> Bytes {
    Bytes::from(format!("{id} {}", at.as_millis()))
}

async fn find(objects: &Objects) -> Result<Option<Mark>, BackupError> {
    let content = objects.read(CLAIM).await?;
    Ok(content.map(|content| Mark::parse(&content)))
}

/// Whether the mark was left by a backup that was killed. The clock of the server says how old it is: those of two machines may differ by more than
/// a mark lasts.
async fn is_left(objects: &Objects) -> Result<bool, BackupError> {
    objects.write(CLOCK, Bytes::new()).await?;
    let now = objects.read_dated(CLOCK).await;
    objects.remove([CLOCK.to_owned()]).await?;
    let (Some((_, now)), Some((content, at))) = (now?, objects.read_dated(CLAIM).await?) else {
        return Ok(false);
    };
    // Earlier versions do not renew it.
    Ok(Mark::parse(&content).renewed_at.is_some() && at.plus(STALE) < now)
}

impl<'a> Claim<'a> {
    /// Claims a place, whose folder exists.
    pub(super) async fn of(place: &'a Place, stale: Stale, now: Timestamp) -> Result<Self, BackupError> {
        match place {
            Place::Folder(folder) => lock(folder),
            Place::Bucket(objects) => mark(objects, stale, now).await,
        }
    }

    /// Whether the place is still this backup's: the mark in a bucket may have been taken over.
    pub(super) async fn confirm(&self) -> Result<(), BackupError> {
        let Self::Bucket { objects, id, .. } = self else {
            return Ok(());
        };
        if find(objects).await?.is_some_and(|mark| mark.id == *id) {
            return Ok(());
        }
        Err(BackupError::unfit(
            &objects.address().join(CLAIM),
            "is no longer the mark of this backup: another one has taken over",
        ))
    }

    /// Gives the place back.
    pub(super) async fn release(self) -> Result<(), BackupError> {
        let Self::Bucket { objects, id, renewing } = self else {
            return Ok(());
        };
        renewing.end().await;
        // What another one has taken over is its own.
        if find(objects).await?.is_some_and(|mark| mark.id == id) {
            objects.remove([CLAIM.to_owned()]).await?;
        }
        Ok(())
    }
}

fn lock<'a>(folder: &Path) -> Result<Claim<'a>, BackupError> {
    let path = folder.join(CLAIM);
    files::reach(&path)?;
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(false);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let file = options.open(&path).map_err(super::at(&path))?;
    match flock(&file, FlockOperation::NonBlockingLockExclusive) {
        Ok(()) => Ok(Claim::Folder { _lock: file }),
        Err(rustix::io::Errno::WOULDBLOCK) => Err(BackupError::unfit(folder, "is used by another backup")),
        Err(error) => Err(super::at(&path)(error.into())),
    }
}

async fn mark(objects: &Objects, stale: Stale, now: Timestamp) -> Result<Claim<'_>, BackupError> {
    let id = hex::encode(rand::random::<[u8; 16]>());
    match stale {
        Stale::Refuse => {
            let is_made = objects.create(CLAIM, content(&id, now)).await?;
            if !is_made && is_left(objects).await? {
                tracing::warn!("taking over the place of the keys from a backup that was killed");
                objects.write(CLAIM, content(&id, now)).await?;
            }
        }
        Stale::TakeOver => objects.write(CLAIM, content(&id, now)).await?,
    }
    // Read again, whatever the answer was: a request whose answer was lost may have been repeated, and some servers replace what is there.
    if find(objects).await?.is_some_and(|mark| mark.id == id) {
        let renewing = Renewing::begin(objects.clone(), id.clone(), now, RENEWED);
        return Ok(Claim::Bucket { objects, id, renewing });
    }
    Err(BackupError::unfit(
        &objects.address().join(CLAIM),
        "is the mark of another backup, which is taken over once it was not renewed for ten minutes; if it is certain that none is running, \
         pass --take-over",
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use async_trait::async_trait;
    use futures::stream::BoxStream;
    use object_store::{
        CopyOptions, GetOptions, GetResult, ListResult, MultipartUpload, ObjectMeta, ObjectStore, PutMultipartOptions,
        PutOptions, PutPayload, PutResult, Result as Stored, memory::InMemory, path::Path as Name,
    };
    use std::{
        collections::HashMap,
        fmt,
        sync::{
            Arc, Mutex,
            atomic::{AtomicI64, Ordering},
        },
        time::SystemTime,
    };
    use tokio::task::yield_now;

    /// A server with a clock of its own.
    #[derive(Debug, Default)]
    struct Server {
        objects: InMemory,
        clock: AtomicI64,
        /// When each was stored.
        stored_at: Mutex<HashMap<Name, i64>>,
    }

    impl fmt::Display for Server {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("Server")
        }
    }

    #[async_trait]
    impl ObjectStore for Server {
        async fn put_opts(&self, name: &Name, content: PutPayload, options: PutOptions) -> Stored<PutResult> {
            let stored = self.objects.put_opts(name, content, options).await?;
            let now = self.clock.load(Ordering::SeqCst);
            self.stored_at.lock().unwrap().insert(name.clone(), now);
            Ok(stored)
        }

        async fn put_multipart_opts(
            &self,
            name: &Name,
            options: PutMultipartOptions,
        ) -> Stored<Box<dyn MultipartUpload>> {
            self.objects.put_multipart_opts(name, options).await
        }

        async fn get_opts(&self, name: &Name, options: GetOptions) -> Stored<GetResult> {
            let mut found = self.objects.get_opts(name, options).await?;
            let at = self.stored_at.lock().unwrap()[name];
            let at = SystemTime::UNIX_EPOCH + Duration::from_millis(at.cast_unsigned());
            found.meta.last_modified = at.into();
            Ok(found)
        }

        fn delete_stream(&self, names: BoxStream<'static, Stored<Name>>) -> BoxStream<'static, Stored<Name>> {
            self.objects.delete_stream(names)
        }

        fn list(&self, below: Option<&Name>) -> BoxStream<'static, Stored<ObjectMeta>> {
            self.objects.list(below)
        }

        async fn list_with_delimiter(&self, below: Option<&Name>) -> Stored<ListResult> {
            self.objects.list_with_delimiter(below).await
        }

        async fn copy_opts(&self, from: &Name, to: &Name, options: CopyOptions) -> Stored<()> {
            self.objects.copy_opts(from, to, options).await
        }
    }

    fn bucket() -> (Arc<Server>, Objects) {
        let server = Arc::new(Server::default());
        let objects = Objects::in_store(Arc::<Server>::clone(&server));
        (server, objects)
    }

    #[tokio::test]
    async fn a_mark_that_was_not_renewed_for_ten_minutes_is_taken_over_and_its_backup_learns_of_it() {
        let (server, objects) = &bucket();
        let place = Place::Bucket(objects.clone());
        let at = |millis| {
            server.clock.store(millis, Ordering::SeqCst);
            Timestamp::from_millis(millis)
        };
        let first = Claim::of(&place, Stale::Refuse, at(0)).await.unwrap();
        let id = find(objects).await.unwrap().unwrap().id;
        assert!(renew(objects, &id, at(1_000)).await.unwrap());
        let refused = Claim::of(&place, Stale::Refuse, at(STALE.0 + 1_000)).await.unwrap_err();
        assert!(refused.to_string().contains("pass --take-over"), "{refused}");
        first.confirm().await.unwrap();

        let second = Claim::of(&place, Stale::Refuse, at(STALE.0 + 1_001)).await.unwrap();
        assert!(!renew(objects, &id, at(STALE.0 + 2_000)).await.unwrap());
        first.confirm().await.unwrap_err();
        second.confirm().await.unwrap();
        first.release().await.unwrap();
        second.confirm().await.unwrap();
        second.release().await.unwrap();
        // The place is free at once.
        Claim::of(&place, Stale::Refuse, at(STALE.0 + 2_001)).await.unwrap();
    }

    #[tokio::test]
    async fn a_mark_without_a_time_is_taken_over_by_a_person_only() {
        let (server, objects) = &bucket();
        let place = Place::Bucket(objects.clone());
        objects.write(CLAIM, Bytes::from_static(b"0123")).await.unwrap();
        let late = Timestamp::from_millis(0).plus(Millis::days(9));
        server.clock.store(late.as_millis(), Ordering::SeqCst);
        assert!(Claim::of(&place, Stale::Refuse, late).await.is_err());
        let claim = Claim::of(&place, Stale::TakeOver, late).await.unwrap();
        claim.confirm().await.unwrap();
    }

    #[tokio::test]
    async fn only_the_clock_of_the_server_says_how_old_a_mark_is() {
        let (server, objects) = &bucket();
        let place = Place::Bucket(objects.clone());
        let begun = Timestamp::from_millis(0);
        let first = Claim::of(&place, Stale::Refuse, begun).await.unwrap();
        let ahead = begun.plus(STALE).plus(Millis::minutes(1));
        assert!(Claim::of(&place, Stale::Refuse, ahead).await.is_err());
        first.confirm().await.unwrap();
        server.clock.store(STALE.0 + 1, Ordering::SeqCst);
        Claim::of(&place, Stale::Refuse, begun).await.unwrap();
        first.confirm().await.unwrap_err();
        assert_eq!(objects.names(None).await.unwrap(), [CLAIM]);
    }

    #[tokio::test]
    async fn a_mark_is_renewed_until_another_backup_takes_over_and_that_ones_stays() {
        let (_, objects) = &bucket();
        let (id, begun) = ("mine".to_owned(), Timestamp::from_millis(0));
        objects.write(CLAIM, content(&id, begun)).await.unwrap();
        let renewing = Renewing::begin(objects.clone(), id.clone(), begun, Duration::from_millis(1));
        while find(objects).await.unwrap().unwrap().renewed_at == Some(begun) {
            yield_now().await;
        }
        objects.write(CLAIM, content("another", begun)).await.unwrap();
        while !renewing.task.is_finished() {
            yield_now().await;
        }
        let claim = Claim::Bucket { objects, id, renewing };
        claim.confirm().await.unwrap_err();
        claim.release().await.unwrap();
        assert_eq!(find(objects).await.unwrap().unwrap().id, "another");
    }
}
