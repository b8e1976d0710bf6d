//! Where pictures arrive: encrypted files without a name, so that a slow phone holds disk instead of memory. Disk space is
//! reserved like memory; an upload for which there is no disk space waits unread until there is memory.

use super::{
    MIB, UploadFault,
    pace::Pace,
    quota::{Portion, Quota, Uploader},
};
use axum::{body::Body, extract::Request};
use bytes::Bytes;
use futures::{TryStreamExt as _, stream};
use http_body_util::BodyExt as _;
use std::{
    io,
    path::PathBuf,
    pin::pin,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};
use store::{StoreError, vault::Scratch};
use tokio::{
    sync::{Semaphore, oneshot},
    time::{Instant, timeout},
};

/// What an upload holds in memory while it arrives. A thousand of them have 16 MiB.
const PIECE: usize = 16 * 1024;
/// How many of them are read by one operation, which costs more than to decrypt a piece. The memory for the whole upload is reserved by then.
const READ_AT_ONCE: usize = 8;
/// Operations on files at a time. A slow disk occupies no more than this of the threads that everything else blocks on, too.
const AT_A_TIME: usize = 8;
/// An operation that runs longer has failed. The wait for a turn does not count: on a busy machine a thousand operations may be queued
/// although the disk is fine. Less than the time that a piece gives its connection at the lowest rate of `edge::body`.
const AT_MOST: Duration = Duration::from_secs(3);
/// After a failure, no file is used for this long. An upload that failed is repeated by its phone, and then waits for memory.
const REST: Duration = Duration::from_secs(60);

/// The disk of this process for uploads.
#[derive(Debug)]
pub(super) struct Spill {
    folder: PathBuf,
    /// Everything that may be in files, in MiB.
    all: usize,
    quota: Quota,
    operations: Arc<Semaphore>,
    at_most: Duration,
    rests_until: Mutex<Option<Instant>>,
}

/// An upload's file, with its part of the disk.
#[derive(Debug)]
pub(super) struct File {
    scratch: Scratch,
    _portion: Portion,
}

impl Spill {
    /// This many MiB on the disk of `folder`. 0 means that no file is used.
    pub(super) fn new(folder: PathBuf, all: usize) -> Arc<Self> {
        Arc::new(Self {
            folder,
            all,
            quota: Quota::new(all),
            operations: Arc::new(Semaphore::new(AT_A_TIME)),
            at_most: AT_MOST,
            rests_until: Mutex::default(),
        })
    }

    /// A file for an upload of `size` MiB, if there is disk for it.
    pub(super) async fn file(&self, uploader: &Uploader, size: usize) -> Option<File> {
        if self.rests() {
            return None;
        }
        let portion = self.quota.take(uploader, size).ok()?;
        // Whatever others still write of what they have reserved, the disk does not become full.
        let (folder, free) = (self.folder.clone(), (self.all * MIB) as u64);
        let scratch = self.run(move || Scratch::create_in(&folder, free)).await.ok()?;
        Some(File {
            scratch,
            _portion: portion,
        })
    }

    /// The request, once its body is in its file, from which it is then read.
    pub(super) async fn arrived(
        self: &Arc<Self>,
        mut file: File,
        request: Request,
        stall: Duration,
    ) -> Result<Request, UploadFault> {
        let (parts, mut body) = request.into_parts();
        let mut pace = Pace::new(stall);
        let mut piece = Vec::with_capacity(PIECE);
        while let Some(frame) = pace.keep(async { body.frame().await.transpose() }).await? {
            // Trailers are ignored.
            let mut data = frame.into_data().unwrap_or_default();
            pace.count(data.len());
            while !data.is_empty() {
                let fits = data.split_to(data.len().min(PIECE - piece.len()));
                piece.extend_from_slice(&fits);
                if piece.len() == PIECE {
                    let begun = Instant::now();
                    (file, piece) = self.append(file, piece).await?;
                    pace.forgive(begun.elapsed());
                }
            }
        }
        (file, _) = self.append(file, piece).await?;
        Ok(Request::from_parts(parts, self.read(file)))
    }

    /// Adds a piece to a file, and returns the file and an empty piece.
    async fn append(&self, mut file: File, mut piece: Vec<u8>) -> Result<(File, Vec<u8>), UploadFault> {
        let appended = self.run(move || {
            file.scratch.append(&piece)?;
            piece.clear();
            Ok((file, piece))
        });
        appended.await.map_err(|_| UploadFault::Busy)
    }

    /// What is in a file, as a body. The file is gone with the body.
    fn read(self: &Arc<Self>, file: File) -> Body {
        let pieces = stream::try_unfold(
            (Arc::clone(self), file, 0),
            async |(spill, file, number): (Arc<Self>, File, usize)| {
                let next = number + READ_AT_ONCE;
                let read = spill.run(move || {
                    let pieces = (number..next).map_while(|number| file.scratch.piece(number).transpose());
                    Ok((pieces.collect::<Result<Vec<_>, _>>()?, file))
                });
                let (pieces, file) = read.await.map_err(io::Error::other)?;
                Ok::<_, io::Error>((!pieces.is_empty()).then_some((pieces, (spill, file, next))))
            },
        );
        let piece = |piece: Vec<u8>| Ok::<_, io::Error>(Bytes::from(piece));
        let in_turn = move |pieces: Vec<Vec<u8>>| stream::iter(pieces.into_iter().map(piece));
        Body::from_stream(pieces.map_ok(in_turn).try_flatten())
    }

    /// Whose fault it is that a form that had arrived in a file could not be read: the phone's, unless the file could not be.
    pub(super) fn blame(&self, fault: UploadFault) -> UploadFault {
        match fault {
            UploadFault::Broken if self.rests() => UploadFault::Busy,
            other => other,
        }
    }

    /// Runs an operation on a file, which may block. If its caller goes away or it takes too long, it goes on, and then drops the
    /// file.
    async fn run<T, F>(&self, operation: F) -> Result<T, StoreError>
    where
        F: FnOnce() -> Result<T, StoreError> + Send + 'static,
        T: Send + 'static,
    {
        let done = self.run_queued(operation).await;
        if let Err(error) = &done {
            let was_resting = self.rests();
            *self.lock() = Some(Instant::now() + REST);
            if !was_resting {
                tracing::warn!(%error, "pictures wait for memory, because they cannot be kept in uploads.spill_dir");
            }
        }
        done
    }

    /// The same, without what a failure changes.
    async fn run_queued<T, F>(&self, operation: F) -> Result<T, StoreError>
    where
        F: FnOnce() -> Result<T, StoreError> + Send + 'static,
        T: Send + 'static,
    {
        let late = || StoreError::Unavailable("the disk does not respond".into());
        // One place in the queue, however long the wait.
        let mut turn = pin!(Arc::clone(&self.operations).acquire_owned());
        let permit = loop {
            match timeout(self.at_most, turn.as_mut()).await {
                // The semaphore is never closed.
                Ok(permit) => break permit.ok(),
                // The operations that run are hanging.
                Err(_) if self.rests() => return Err(late()),
                Err(_) => {}
            }
        };
        let (begin, begun) = oneshot::channel();
        let done = tokio::task::spawn_blocking(move || {
            let _permit = permit;
            // Whoever asked for it may have gone. What has begun is carried out all the same.
            begin.send(()).ok();
            operation()
        });
        // Fails if the operation has already panicked.
        begun.await.ok();
        match timeout(self.at_most, done).await {
            Ok(done) => done.unwrap_or(Err(StoreError::Panicked)),
            Err(_) => Err(late()),
        }
    }

    fn rests(&self) -> bool {
        self.lock().is_some_and(|until| Instant::now() < until)
    }

    fn lock(&self) -> MutexGuard<'_, Option<Instant>> {
        // Nothing under the lock can panic.
        self.rests_until.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::edge::Network;
    use domain::ids::{SessionId, TenantId};
    use std::sync::mpsc;

    /// What an operation may take that does nothing, on a busy machine too.
    const ENOUGH: Duration = Duration::from_millis(500);

    fn uploader() -> Uploader {
        Uploader {
            network: Network::of([192, 0, 2, 1].into()),
            tenant: TenantId::from_random([1; 16]),
            session: SessionId::from_random([1; 16]),
        }
    }

    #[tokio::test]
    async fn after_a_failure_no_file_is_used_for_a_while_and_the_phone_is_not_blamed() {
        let folder = tempfile::tempdir().unwrap();
        let spill = Spill::new(folder.path().to_owned(), 1);
        assert!(spill.file(&uploader(), 1).await.is_some());
        assert_eq!(spill.blame(UploadFault::Broken), UploadFault::Broken);
        let failed = spill.run(|| Err::<(), _>(StoreError::Unavailable("full".into()))).await;
        assert!(failed.is_err() && spill.file(&uploader(), 1).await.is_none());
        assert_eq!(spill.blame(UploadFault::Broken), UploadFault::Busy);
        let too_large = UploadFault::TooLarge { file: 0 };
        assert_eq!(spill.blame(too_large), too_large);
        *spill.lock() = Some(Instant::now());
        assert!(spill.file(&uploader(), 1).await.is_some());
    }

    #[tokio::test]
    async fn a_disk_that_hangs_fails_and_rests() {
        let folder = tempfile::tempdir().unwrap();
        let mut spill = Spill::new(folder.path().to_owned(), 1);
        Arc::get_mut(&mut spill).unwrap().at_most = Duration::from_millis(20);
        let (answer, hanging) = mpsc::channel::<()>();
        let hangs = spill.run(move || {
            let _ = hanging.recv();
            Ok(())
        });
        assert!(hangs.await.is_err() && spill.rests());
        drop(answer);
    }

    #[tokio::test]
    async fn who_waits_for_a_turn_longer_than_an_operation_may_take_gets_it_if_the_disk_is_in_order() {
        let folder = tempfile::tempdir().unwrap();
        let mut spill = Spill::new(folder.path().to_owned(), 1);
        Arc::get_mut(&mut spill).unwrap().at_most = ENOUGH;
        let others = Arc::clone(&spill.operations);
        let all = others
            .acquire_many_owned(u32::try_from(AT_A_TIME).unwrap())
            .await
            .unwrap();
        let mut waits = std::pin::pin!(spill.run(|| Ok(())));
        let long = timeout(ENOUGH * 2, waits.as_mut()).await;
        assert!(long.is_err() && !spill.rests());
        drop(all);
        assert!(waits.await.is_ok());
    }

    #[tokio::test]
    async fn who_waits_longer_keeps_its_place_in_the_queue() {
        let folder = tempfile::tempdir().unwrap();
        let mut spill = Spill::new(folder.path().to_owned(), 1);
        Arc::get_mut(&mut spill).unwrap().at_most = ENOUGH;
        let others = Arc::clone(&spill.operations);
        let all = others.acquire_many_owned(u32::try_from(AT_A_TIME).unwrap()).await;
        let mut all = all.unwrap();
        let (note, noted) = mpsc::channel();
        let operation = |number: u8| {
            let note = note.clone();
            spill.run(move || {
                note.send(number).unwrap();
                Ok(())
            })
        };
        let mut first = std::pin::pin!(operation(1));
        assert!(timeout(ENOUGH / 2, first.as_mut()).await.is_err());
        let mut second = std::pin::pin!(operation(2));
        // Longer than an operation may take, for the first.
        let both = async { tokio::join!(first.as_mut(), second.as_mut()) };
        assert!(timeout(ENOUGH, both).await.is_err());
        let one = all.split(1);
        drop(one);
        let (first, second) = tokio::join!(first, second);
        assert!(first.is_ok() && second.is_ok());
        assert_eq!(noted.try_iter().collect::<Vec<_>>(), [1, 2]);
        drop(all);
    }
}
