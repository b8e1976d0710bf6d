//! Uploads. What a form announces is reserved as a whole before a byte of it is read: on disk, where it arrives, and then in memory, both
//! shared by all uploads of the process. A small form, and one for which there is no disk, arrives in memory. An upload for which there is
//! no memory waits, and gets 503 if that takes too long. While it arrives, it must keep a minimum rate, or it loses its place. A session
//! has one upload at a time. What is too large is counted and discarded, never buffered.

mod form;
#[cfg(test)]
mod fuzz;
mod heads;
mod pace;
mod quota;
mod room;
mod spill;
mod turn;

use crate::{
    config,
    edge::{LEAST_RATE, Network, RequestContext, Slot},
};
use axum::extract::Request;
use domain::ids::{SessionId, TenantId};
use http::header::CONTENT_LENGTH;
use quota::Uploader;
use room::{Reservation, Room};
use spill::Spill;
use std::{net::IpAddr, sync::Arc, time::Duration};
use tokio::time::{Instant, timeout};
use turn::Turn;

/// The largest file: the largest picture that is decoded.
pub(crate) const MAX_FILE: usize = vision::picture::MAX_BYTES;
const MIB: usize = 1024 * 1024;
/// A form up to this size arrives in memory: what the selfie camera shows, which is worth nothing later.
const SMALL: usize = 256 * 1024;
/// How long the smallest upload may take once begun, as one of 2 MB at the least rate.
const SHORTEST: Duration = Duration::from_secs(120);
/// How long the largest may take: two files of [`MAX_FILE`] at the least rate.
const LONGEST: Duration = Duration::from_secs(1_300);

/// Admits uploads.
#[derive(Debug)]
pub struct Admission {
    room: Arc<Room>,
    spill: Arc<Spill>,
    /// How long an upload may wait unread.
    wait_at_most: Duration,
    /// An upload from which no byte arrives for this long loses its place.
    stall: Duration,
    /// How long the smallest upload may take once begun.
    shortest: Duration,
}

impl Admission {
    /// From the settings.
    #[must_use]
    pub fn new(settings: &config::Uploads) -> Self {
        Self {
            room: Room::new(settings.room, settings.waiting),
            spill: Spill::new(settings.spill_dir.clone(), settings.spill),
            wait_at_most: settings.wait_at_most,
            stall: settings.stall,
            shortest: SHORTEST,
        }
    }

    /// How long an upload of so many bytes may take once begun: whoever keeps the least rate gets it through.
    fn deadline(&self, bytes: usize) -> Duration {
        let at_least_rate = Duration::from_secs(bytes as u64 / LEAST_RATE);
        at_least_rate.clamp(self.shortest, LONGEST)
    }

    /// The number of a session's upload among those that wait for memory, from 1; `None` if it does not wait.
    pub(crate) fn number(&self, session: &SessionId) -> Option<usize> {
        self.room.number(session)
    }
}

/// One part of a form.
#[derive(Debug)]
pub(crate) enum Part {
    /// A short value.
    Text(String),
    /// A file's bytes.
    File(Vec<u8>),
    /// An input for a file for which none was chosen.
    NoFile,
}

impl Part {
    fn is_empty(&self) -> bool {
        match self {
            Self::Text(text) => text.is_empty(),
            Self::File(bytes) => bytes.is_empty(),
            Self::NoFile => true,
        }
    }
}

/// What was uploaded. Holds its memory, and its session's turn, until it is dropped.
#[derive(Debug)]
pub(crate) struct Upload {
    parts: Vec<(String, Part)>,
    _reservation: Reservation,
    _turn: Turn,
}

/// Why an upload was refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum UploadFault {
    /// A file, or all of them together, is larger than allowed.
    TooLarge {
        /// The number of that file among those of the form, from 0.
        file: usize,
    },
    /// It is not a form, or is truncated.
    Broken,
    /// No memory now, or another upload of the session has the turn: worth a retry.
    Busy,
    /// It was so slow that it lost its place: worth a retry.
    Slow,
}

impl Upload {
    /// Reads a multipart form of a tenant's session whose files may have `limit` bytes in total. From here on the request holds no slot:
    /// it is limited by its disk and memory, or by its place among those that wait for memory.
    pub(crate) async fn read(
        admission: &Admission,
        (tenant, session): (&TenantId, &SessionId),
        request: Request,
        limit: usize,
    ) -> Result<Self, UploadFault> {
        let turn = Turn::take(session).ok_or(UploadFault::Busy)?;
        if let Some(slot) = request.extensions().get::<Slot>() {
            slot.give_back();
        }
        let (parts, reservation) = tokio::select! {
            read = admitted(admission, (tenant, session), request, limit) => read?,
            () = turn.taken_over() => return Err(UploadFault::Busy),
        };
        if !turn.arrive() {
            return Err(UploadFault::Busy);
        }
        Ok(Self {
            parts,
            _reservation: reservation,
            _turn: turn,
        })
    }

    /// The text of a part.
    pub(crate) fn text(&self, name: &str) -> Option<&str> {
        self.parts.iter().find_map(|(known, part)| match part {
            Part::Text(text) if known == name => Some(text.as_str()),
            _ => None,
        })
    }

    /// Every text of that name, in order.
    pub(crate) fn texts<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a str> {
        self.parts.iter().filter_map(move |(known, part)| match part {
            Part::Text(text) if known == name => Some(text.as_str()),
            _ => None,
        })
    }

    /// How many inputs of that name were filled in before the first that was left empty. To be asked before the files are taken.
    pub(crate) fn count_filled(&self, name: &str) -> usize {
        let inputs = self.parts.iter().filter(|(known, _)| known == name);
        inputs.take_while(|(_, part)| !part.is_empty()).count()
    }

    /// The number, among the inputs of that name, of the first file that was chosen and has no bytes. To be asked before the files are taken.
    pub(crate) fn first_empty(&self, name: &str) -> Option<usize> {
        let mut inputs = self.parts.iter().filter(|(known, _)| known == name);
        inputs.position(|(_, part)| matches!(part, Part::File(bytes) if bytes.is_empty()))
    }

    /// Takes every file of that name, in order; inputs left empty are skipped.
    pub(crate) fn take_files(&mut self, name: &str) -> Vec<Vec<u8>> {
        let mut files = Vec::new();
        for (known, part) in &mut self.parts {
            if let Part::File(bytes) = part
                && known == name
                && !bytes.is_empty()
            {
                files.push(std::mem::take(bytes));
            }
        }
        files
    }
}

/// The parts of the form and the memory that they hold.
async fn admitted(
    admission: &Admission,
    (tenant, session): (&TenantId, &SessionId),
    mut request: Request,
    limit: usize,
) -> Result<(Vec<(String, Part)>, Reservation), UploadFault> {
    let announced = request
        .headers()
        .get(CONTENT_LENGTH)
        .and_then(|length| length.to_str().ok()?.parse::<usize>().ok());
    if announced.is_some_and(|length| length > limit) {
        let discarded = timeout(LONGEST, form::discard(request, admission.stall)).await;
        return Err(discarded.unwrap_or(UploadFault::Slow));
    }
    let bytes = announced.unwrap_or(limit);
    let (size, deadline) = (bytes.div_ceil(MIB).max(1), admission.deadline(bytes));
    let uploader = Uploader {
        network: network(&request),
        tenant: tenant.clone(),
        session: session.clone(),
    };
    let mut wait = admission.wait_at_most;
    let mut is_on_disk = false;
    if announced.is_some_and(|length| length > SMALL)
        && let Some(file) = admission.spill.file(&uploader, size).await
    {
        let begun = Instant::now();
        let arrived = admission.spill.arrived(file, request, admission.stall);
        request = timeout(deadline, arrived).await.map_err(|_| UploadFault::Slow)??;
        // To send it again would take longer than to wait for what the shortest deadline has left: the phone gives up soon after.
        wait += admission.shortest.saturating_sub(begun.elapsed());
        is_on_disk = true;
    }
    let reservation = admission
        .room
        .reserve(uploader, size, wait)
        .await
        .ok_or(UploadFault::Busy)?;
    let read = form::read(request, limit, admission.stall);
    let parts = timeout(deadline, read).await.map_err(|_| UploadFault::Slow)?;
    let blame = |fault| {
        if is_on_disk {
            admission.spill.blame(fault)
        } else {
            fault
        }
    };
    Ok((parts.map_err(blame)?, reservation))
}

/// The client's network.
fn network(request: &Request) -> Network {
    let context = request.extensions().get::<RequestContext>();
    Network::of(context.map_or(IpAddr::from([0, 0, 0, 0]), |context| context.client))
}

/// Routes for uploads lift axum's own limit: [`Upload::read`] has its own.
pub(crate) const fn no_limit_of_axum() -> axum::extract::DefaultBodyLimit {
    axum::extract::DefaultBodyLimit::disable()
}

#[cfg(test)]
mod tests {
    use super::*;
    use app::{
        camera::retry::DEAD_MS,
        forms::LARGEST_PHOTO,
        text::{capture::DOCUMENT_FILE_HINT, picture::FileFault},
    };
    use axum::body::{Body, Bytes};
    use domain::language::Language;
    use futures::{FutureExt as _, StreamExt as _, stream};

    const LIMIT: usize = 2 * MAX_FILE;
    /// Far longer than a test takes.
    const LONG: Duration = Duration::from_secs(600);

    /// Each test has numbers of its own: several may run in one process, which has one list of turns.
    fn id(byte: u8) -> (TenantId, SessionId) {
        (TenantId::from_random([1; 16]), SessionId::from_random([byte; 16]))
    }

    fn of(id: &(TenantId, SessionId)) -> (&TenantId, &SessionId) {
        (&id.0, &id.1)
    }

    #[test]
    fn no_upload_waits_until_the_phone_takes_its_connection_for_dead() {
        let longest = SHORTEST + Duration::from_secs(config::MOST_PATIENCE);
        assert!(longest < Duration::from_millis(DEAD_MS.into()), "{longest:?}");
    }

    #[test]
    fn the_pages_refuse_what_the_server_refuses_for_its_size() {
        assert_eq!(usize::try_from(LARGEST_PHOTO), Ok(MAX_FILE));
    }

    #[test]
    fn the_pages_name_the_largest_file_in_every_language() {
        let limit = format!("{}MB", MAX_FILE / MIB);
        for language in Language::ALL {
            for text in [DOCUMENT_FILE_HINT, FileFault::TooLarge.text()] {
                let sentence = text.get(*language);
                let words: String = sentence.split_whitespace().collect();
                assert!(words.contains(&limit), "{language}: {sentence}");
            }
        }
    }

    /// Memory of this many MiB, and no disk.
    fn admission(room: usize, stall: Duration) -> Admission {
        with_disk(room, 0, stall)
    }

    fn with_disk(room: usize, spill: usize, stall: Duration) -> Admission {
        Admission::new(&config::Uploads {
            room,
            spill,
            spill_dir: std::env::temp_dir(),
            waiting: 8,
            wait_at_most: LONG,
            stall,
        })
    }

    /// A form of one file of `bytes` that announces `announced`, and then ends, or sends nothing more.
    fn form(announced: usize, bytes: usize, ends: bool) -> Request {
        let head = "--b\r\ncontent-disposition: form-data; name=\"frame\"; filename=\"a\"\r\n\r\n";
        let chunks = [Bytes::from(head), Bytes::from(vec![b'x'; bytes])];
        let begun = stream::iter(chunks).map(Ok::<_, std::io::Error>);
        let body = if ends {
            Body::from_stream(begun.chain(stream::iter([Ok(Bytes::from("\r\n--b--\r\n"))])))
        } else {
            Body::from_stream(begun.chain(stream::pending()))
        };
        Request::post("/")
            .header("content-type", "multipart/form-data; boundary=b")
            .header("content-length", announced)
            .body(body)
            .unwrap()
    }

    #[tokio::test]
    async fn an_upload_that_was_begun_has_its_room_and_the_next_one_waits_for_its_own() {
        let admission = admission(4, LONG);
        let stalls = form(3 * MIB, 0, false);
        let (one, two) = (id(11), id(12));
        let mut first = Box::pin(Upload::read(&admission, of(&one), stalls, LIMIT));
        assert!(first.as_mut().now_or_never().is_none());
        let mut second = Box::pin(Upload::read(&admission, of(&two), form(2 * MIB, MIB, true), LIMIT));
        assert!(second.as_mut().now_or_never().is_none(), "it waits");
        drop(first);
        let taken = second.await.unwrap().take_files("frame");
        assert_eq!(taken[0].len(), MIB);
    }

    #[tokio::test]
    async fn an_upload_that_stalls_loses_its_place() {
        let admission = admission(4, Duration::from_millis(20));
        let cut = Upload::read(&admission, of(&id(2)), form(4 * MIB, MIB, false), LIMIT).await;
        assert_eq!(cut.err(), Some(UploadFault::Slow));
        let whole = Upload::read(&admission, of(&id(2)), form(4 * MIB, MIB, true), LIMIT).await;
        assert!(whole.is_ok(), "its memory is free");
    }

    /// The same form, whose pieces do not follow each other at once.
    fn in_pieces(announced: usize, bytes: usize) -> Request {
        let form = form(announced, bytes, true);
        form.map(|body| {
            let pieces = body.into_data_stream().then(|piece| async {
                tokio::task::yield_now().await;
                piece
            });
            Body::from_stream(pieces)
        })
    }

    #[tokio::test]
    async fn whoever_keeps_the_least_rate_gets_a_large_upload_through() {
        let admission = admission(4, LONG);
        for (bytes, seconds) in [
            (0, 120),
            (1_000_000, 120),
            (4_000_000, 244),
            (6_000_000, 366),
            (LIMIT, 1_280),
        ] {
            assert_eq!(admission.deadline(bytes), Duration::from_secs(seconds), "{bytes}");
        }
        for disk in [0, 4] {
            let admission = Admission {
                shortest: Duration::ZERO,
                ..with_disk(4, disk, LONG)
            };
            let small = Upload::read(&admission, of(&id(5)), form(1000, 100, false), LIMIT).await;
            assert_eq!(small.err(), Some(UploadFault::Slow), "it has no time here");
            let large = Upload::read(&admission, of(&id(5)), in_pieces(2 * MIB, MIB), LIMIT).await;
            assert_eq!(large.unwrap().take_files("frame")[0].len(), MIB);
        }
    }

    fn uploader() -> Uploader {
        let (tenant, session) = id(0);
        Uploader {
            network: Network::of([192, 0, 2, 1].into()),
            tenant,
            session,
        }
    }

    #[tokio::test]
    async fn an_upload_on_disk_that_stalls_loses_its_place_too() {
        let admission = with_disk(1, 4, Duration::from_millis(20));
        let _held = admission.room.reserve(uploader(), 1, LONG).await;
        let cut = Upload::read(&admission, of(&id(6)), form(4 * MIB, MIB, false), LIMIT).await;
        assert_eq!(cut.err(), Some(UploadFault::Slow));
        assert!(admission.spill.file(&uploader(), 4).await.is_some(), "its disk is free");
    }

    #[tokio::test]
    async fn an_upload_from_disk_is_what_arrived() {
        let admission = with_disk(4, 4, LONG);
        let mut whole = Upload::read(&admission, of(&id(7)), form(2 * MIB, MIB + 7, true), LIMIT)
            .await
            .unwrap();
        // Reading ahead of the form's end may go on for a moment.
        while admission.spill.file(&uploader(), 4).await.is_none() {
            tokio::task::yield_now().await;
        }
        assert_eq!(whole.take_files("frame"), [vec![b'x'; MIB + 7]]);
        drop(whole);
        let form = form(2 * MIB, MIB, true).map(|_| Body::from("--b"));
        let broken = Upload::read(&admission, of(&id(3)), form, LIMIT).await;
        assert_eq!(broken.err(), Some(UploadFault::Broken));
    }

    #[tokio::test]
    async fn what_is_announced_to_be_too_large_takes_no_room() {
        let admission = with_disk(1, 64, LONG);
        let _held = admission.room.reserve(uploader(), 1, LONG).await;
        let read = Upload::read(&admission, of(&id(4)), form(LIMIT + 1, MIB, true), LIMIT).now_or_never();
        assert_eq!(read.unwrap().err(), Some(UploadFault::TooLarge { file: 0 }));
    }

    #[tokio::test]
    async fn a_newer_upload_of_a_session_ends_the_older_one() {
        let admission = admission(64, LONG);
        let session = id(8);
        let whole = || form(MIB, MIB, true);
        let mut older = Box::pin(Upload::read(&admission, of(&session), form(MIB, MIB, false), LIMIT));
        assert!(older.as_mut().now_or_never().is_none());
        let newer = Upload::read(&admission, of(&session), whole(), LIMIT).await.unwrap();
        assert_eq!(older.await.err(), Some(UploadFault::Busy));
        let third = Upload::read(&admission, of(&session), whole(), LIMIT).await;
        assert_eq!(
            third.err(),
            Some(UploadFault::Busy),
            "while the newer one is being stored"
        );
        drop(newer);
        assert!(Upload::read(&admission, of(&session), whole(), LIMIT).await.is_ok());
    }
}
