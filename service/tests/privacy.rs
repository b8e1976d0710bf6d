//! Erasure after the retention period.

use domain::{
    document::{DocumentType, FieldName, OcrField, Side},
    findings::{DocumentFindings, SelfieFindings},
    ids::SessionId,
    reasons::Reason,
    role::Role,
    secret::{Personal, Secret},
    secret_kind::SecretKind,
    session::{AttemptNumber, Status},
    time::{Millis, Timestamp},
    user_input::TypedForm,
};
use service::{
    access::{Admin, Applicant, Reviewer},
    capture::{
        check::PhotoChoice,
        choose_document::{Photos, choose_document},
        details::save_details,
        submit::submit,
        take::{Answers, Burst, capture_document, capture_selfie, challenge},
    },
    jobs::sweep,
    people::{self, change_person},
    privacy::{
        after_restore::{erase_again, erase_listed, lacks_all_keys},
        erase_now::{EraseNowError, erase_now, erase_of_tenant},
        secret_age,
    },
    review::{LookedAt, ReviewDecision, UNDO, ask_again, open_case, reopen, rule},
    session::{
        create::{CreateSessionError, create_session, create_session_once},
        read::read_session,
        reprocess::{ReprocessError, reprocess},
    },
};
use sha2::{Digest, Sha256};
use std::collections::BTreeSet;
use store::{
    capture::{captures, pictures::Pictures},
    decision::decisions,
    review,
    session::sessions,
};
use testkit::{
    Harness, START,
    applicant::agree,
    databases::{number_at, run_at, texts_at},
    files::search,
};

const CANARY: &str = r#"{"metadata":{"order":"7"},"preRegisteredInfo":{"lastName":"Qwertzuiop"}}"#;

#[tokio::test]
async fn an_ended_session_keeps_its_outcome_and_loses_its_personal_data_at_the_end_of_retention() {
    let mut harness = Harness::new().await;
    let caller = harness.caller().await;
    let created = create_session(&harness.honnin, &caller, CANARY.as_bytes())
        .await
        .unwrap();
    harness.wait(Millis::days(7)).await;
    let before = read_session(&harness.honnin, &caller, created.id.as_str())
        .await
        .unwrap();
    assert!(before.session.purged_at.is_none() && before.pre_registered.is_some());

    assert_eq!(
        harness.wait(Millis(Millis::days(90).0 - 1)).await,
        0,
        "not a moment too early"
    );
    assert_eq!(harness.wait(Millis(1)).await, 1);
    let after = read_session(&harness.honnin, &caller, created.id.as_str())
        .await
        .unwrap();
    assert_eq!(after.session.purged_at, Some(erased_at(created.expires_at)));
    assert_eq!(
        (after.status, after.metadata.as_deref()),
        (Status::Expired, Some(r#"{"order":"7"}"#))
    );
    assert!(after.pre_registered.is_none());

    harness.restart().await;
    let again = read_session(&harness.honnin, &caller, created.id.as_str())
        .await
        .unwrap();
    assert!(again.pre_registered.is_none(), "nor after a restart");
    let refused = reprocess(&harness.honnin, &caller, created.id.as_str())
        .await
        .unwrap_err();
    assert!(matches!(refused, ReprocessError::NotAllowed));
}

const fn erased_at(expired_at: Timestamp) -> Timestamp {
    expired_at.plus(Millis::days(90))
}

#[tokio::test]
async fn a_reader_whom_the_erasure_overtakes_is_told_when_it_was() {
    let mut harness = Harness::new().await;
    let caller = harness.caller().await;
    let created = create_session(&harness.honnin, &caller, CANARY.as_bytes())
        .await
        .unwrap();
    // The row is marked right after it was read, and then the key is gone.
    harness
        .database
        .run(
            "CREATE TRIGGER overtake AFTER INSERT ON audit WHEN NEW.action = 'session.read' BEGIN
                 UPDATE sessions SET purged_at = 1785663000000, known = NULL WHERE id = NEW.subject;
             END",
        )
        .await;
    assert_ne!(run_at(&harness.database.keys_url, "DELETE FROM data_keys").await, 0);
    harness.restart().await;
    let read = read_session(&harness.honnin, &caller, created.id.as_str())
        .await
        .unwrap();
    assert!(read.pre_registered.is_none());
    assert_eq!(read.session.purged_at, Some(testkit::START));
}

#[tokio::test]
async fn keys_of_none_of_the_sessions_are_those_of_others_unless_the_sessions_are_about_to_be_erased() {
    let harness = Harness::new().await;
    let lacks_all = async || lacks_all_keys(&harness.honnin).await.unwrap();
    assert!(!lacks_all().await, "there is no session");
    harness.create().await;
    assert!(!lacks_all().await);
    assert_ne!(run_at(&harness.database.keys_url, "DELETE FROM data_keys").await, 0);
    assert!(lacks_all().await);
    assert_eq!(erase_again(&harness.honnin).await.unwrap(), 1);
    assert!(!lacks_all().await);
}

#[tokio::test]
async fn a_session_whose_key_came_back_with_a_copy_is_erased_again_if_a_list_names_it() {
    let harness = Harness::new().await;
    let (listed, other) = (harness.decided().await.0, harness.create().await.id);
    let unknown = SessionId::from_random([1; 16]);
    let list = BTreeSet::from([listed.clone(), unknown]);
    assert_eq!(erase_again(&harness.honnin).await.unwrap(), 0, "no key is missing");
    assert_eq!(erase_listed(&harness.honnin, &list).await.unwrap(), 1);
    harness.run_until_idle().await;
    assert!(harness.detail(&listed).await.session.purged_at.is_some());
    assert!(harness.detail(&other).await.session.purged_at.is_none());
    assert_eq!(erase_listed(&harness.honnin, &list).await.unwrap(), 0, "it is erased");
}

#[tokio::test]
async fn an_erasure_that_was_requested_is_done_whatever_is_asked_before_it() {
    let harness = Harness::new().await;
    let (caller, admin) = (
        harness.caller().await,
        Admin::of(&harness.staff(Role::Admin).await).unwrap(),
    );
    let reviewer = Reviewer::of(&harness.staff(Role::Reviewer).await).unwrap();
    for by_console in [false, true] {
        let sessions = [
            harness.create().await.id,
            harness.ready().await.0,
            harness.decided().await.0,
        ];
        for id in sessions {
            // The second request is as good as the first.
            for _ in 0..2 {
                if by_console {
                    erase_now(&harness.honnin, &admin, &id).await.unwrap();
                } else {
                    erase_of_tenant(&harness.honnin, &caller, id.as_str()).await.unwrap();
                }
                let again = reprocess(&harness.honnin, &caller, id.as_str()).await;
                assert!(matches!(again, Err(ReprocessError::NotAllowed)), "{again:?}");
                assert!(
                    reopen(&harness.honnin, &reviewer, LookedAt::new(&id, AttemptNumber::FIRST))
                        .await
                        .is_err()
                );
            }
            harness.run_until_idle().await;
            assert!(harness.detail(&id).await.session.purged_at.is_some());
        }
    }
}

/// Detects if only the middleware asks what somebody is: a password takes a while to be checked, in which they may be shut out.
#[tokio::test]
async fn whoever_has_lost_their_role_erases_nothing_with_a_request_that_is_under_way() {
    let harness = Harness::new().await;
    let boss = Admin::of(&harness.staff(Role::Admin).await).unwrap();
    let id = harness.create().await.id;
    for shut_out in [people::Change::Role(Role::Auditor), people::Change::Disable] {
        let leaving = Admin::of(&harness.staff(Role::Admin).await).unwrap();
        change_person(&harness.honnin, &boss, leaving.staff().user(), shut_out)
            .await
            .unwrap();
        let late = erase_now(&harness.honnin, &leaving, &id).await;
        assert!(
            matches!(late, Err(EraseNowError::Forbidden(_))),
            "{shut_out:?}: {late:?}"
        );
    }
    harness.run_until_idle().await;
    let session = harness.detail(&id).await.session;
    assert_eq!(
        (session.status, session.erasure_requested_at, session.purged_at),
        (Status::Created, None, None)
    );
}

#[tokio::test]
async fn a_session_whose_retention_is_over_and_that_is_not_erased_yet_may_be_reprocessed() {
    let harness = Harness::new().await;
    let (id, _) = harness.decided().await;
    harness.clock.advance(Millis::days(91));
    let caller = harness.caller().await;
    reprocess(&harness.honnin, &caller, id.as_str()).await.unwrap();
    harness.run_until_idle().await;
    let session = harness.detail(&id).await.session;
    assert_eq!((session.status, session.purged_at), (Status::Collecting, None));
}

#[tokio::test]
async fn a_session_that_goes_on_is_not_erased() {
    let harness = Harness::new().await;
    let caller = harness.caller().await;
    let created = create_session(&harness.honnin, &caller, CANARY.as_bytes())
        .await
        .unwrap();
    harness.clock.advance(Millis(Millis::days(7).0 - 1));
    harness.run_until_idle().await;
    let detail = read_session(&harness.honnin, &caller, created.id.as_str())
        .await
        .unwrap();
    assert!(detail.pre_registered.is_some());
    assert!(
        harness
            .open_jobs()
            .await
            .iter()
            .all(|job| job.kind != store::jobs::JobKind::Erase)
    );
}

/// What a user, a tenant or a reviewer wrote, and what was read or photographed. None of it may remain anywhere.
const CANARIES: [&str; 14] = [
    "canary-state",
    "canary-known-last",
    "canary-known-first",
    "canary-known-address",
    "Canarytypedlast",
    "Canarytypedfirst",
    "canary-typed-address",
    "CANARYREADLAST",
    "CANARYREADNUMBER",
    "canary-picture-front",
    "canary-picture-straight",
    "canary-picture-turned",
    "canary-note-of-a-question",
    "canary-note-of-a-ruling",
];

fn canary_session() -> String {
    serde_json::json!({
        "callbackUrl": "https://shop.example/done",
        "state": "canary-state",
        "preRegisteredInfo": {
            "lastName": "canary-known-last",
            "firstName": "canary-known-first",
            "birthDate": "1990-02-28",
            "address": "canary-known-address",
            "gender": "female",
        },
    })
    .to_string()
}

fn canary_passport() -> DocumentFindings {
    let mut passport = testkit::analyser::passport();
    for (name, text) in [
        (FieldName::LastName, "CANARYREADLAST"),
        (FieldName::DocumentNumber, "CANARYREADNUMBER"),
    ] {
        passport.fields.push(OcrField {
            side: Side::Front,
            name,
            text: Some(text.into()),
            normalized: Some(text.into()),
        });
    }
    passport
}

/// One attempt, from consent to the decision.
async fn attempt(harness: &Harness, applicant: &Applicant) {
    let honnin = &harness.honnin;
    agree(honnin, applicant, None).await.unwrap();
    choose_document(honnin, applicant, DocumentType::Passport, Photos::KeepGood)
        .await
        .unwrap();
    capture_document(
        honnin,
        applicant,
        DocumentType::Passport,
        Side::Front,
        b"canary-picture-front".to_vec(),
    )
    .await
    .unwrap();
    harness.check_photo(applicant, PhotoChoice::Use(vec![])).await.unwrap();
    let typed = TypedForm {
        last_name: "Canarytypedlast".into(),
        first_name: "Canarytypedfirst".into(),
        birth_date: "1990-02-28".into(),
        address: "canary-typed-address".into(),
        ..TypedForm::default()
    };
    save_details(honnin, applicant, &Personal::new(typed)).await.unwrap();
    let id = challenge(honnin, applicant).await.unwrap().id;
    let burst = Burst {
        answers: Answers::Challenge(id),
        frames: vec![
            (0, b"canary-picture-straight".to_vec()),
            (400, b"canary-picture-turned".to_vec()),
        ],
    };
    capture_selfie(honnin, applicant, burst).await.unwrap();
    harness.run_until_idle().await;
    submit(honnin, applicant).await.unwrap();
    harness.run_until_idle().await;
}

/// The first bytes of all encrypted data of a session: columns, findings, explanations, notes, pictures.
async fn sealed(harness: &Harness, id: &SessionId) -> Vec<Vec<u8>> {
    let wanted = id.clone();
    let mut found = harness
        .read(async move |tx| {
            let row = sessions::find_any(tx, &wanted).await?.unwrap();
            let mut found = vec![row.state, row.known, row.typed, row.ocr, row.note];
            found.extend(
                captures::list_all(tx, &wanted)
                    .await?
                    .into_iter()
                    .map(|capture| capture.findings),
            );
            found.extend(
                decisions::list(tx, &wanted)
                    .await?
                    .into_iter()
                    .map(|made| made.explanation),
            );
            found.extend(review::list(tx, &wanted).await?.into_iter().map(|ruled| ruled.note));
            Ok(found.into_iter().flatten().collect::<Vec<_>>())
        })
        .await;
    let pictures = Pictures::in_folder(&harness.folder().join("pictures")).unwrap();
    for name in pictures.list_names(id).await.unwrap() {
        found.push(pictures.find(id, &name).await.unwrap().unwrap().to_vec());
    }
    for bytes in &mut found {
        // A long column continues in another page of the file.
        bytes.truncate(40);
    }
    found
}

/// The hashes of what was sent: they would confirm a guess of it.
fn fingerprints() -> Vec<Vec<u8>> {
    let pictures = [
        "canary-picture-front",
        "canary-picture-straight",
        "canary-picture-turned",
    ];
    let mut prints: Vec<_> = pictures
        .iter()
        .map(|picture| hex::encode(Sha256::digest(picture)).into_bytes())
        .collect();
    prints.push(Sha256::digest(canary_session()).to_vec());
    prints
}

/// A session whose second attempt waits for its reviewer, who asked again after the first.
async fn in_review_again() -> (Harness, SessionId, Reviewer) {
    let harness = Harness::new().await;
    harness.analyser.see_document(canary_passport());
    harness.analyser.see_selfie(SelfieFindings {
        liveness: None,
        ..testkit::analyser::holder()
    });
    let caller = harness.caller().await;
    let created = create_session_once(&harness.honnin, &caller, "once", canary_session().as_bytes())
        .await
        .unwrap();
    let rita = Reviewer::of(&harness.staff(Role::Reviewer).await).unwrap();
    attempt(&harness, &harness.start(&created).await).await;
    let note = Some(Personal::new("canary-note-of-a-question".to_owned()));
    let first = LookedAt::new(&created.id, AttemptNumber::FIRST);
    ask_again(&harness.honnin, &rita, first, note).await.unwrap();
    attempt(&harness, &harness.reissued(&created.id).await).await;
    (harness, created.id, rita)
}

/// Rejects the second attempt.
async fn reject(harness: &Harness, id: &SessionId, rita: &Reviewer) {
    let ruling = ReviewDecision::Reject(vec![Reason::ManualRejection]);
    let note = Some(Personal::new("canary-note-of-a-ruling".to_owned()));
    let second = LookedAt::new(id, AttemptNumber::new(2));
    rule(&harness.honnin, rita, second, ruling, note).await.unwrap();
}

/// Detects if SQLite's log keeps the erased columns (no checkpoint after erasing), and if the pictures stay.
#[tokio::test]
async fn after_an_erasure_no_byte_of_the_person_is_in_any_file_sealed_or_not() {
    let (harness, id, rita) = in_review_again().await;
    reject(&harness, &id, &rita).await;
    harness.wait(UNDO).await;

    let plain: Vec<Vec<u8>> = CANARIES.iter().map(|canary| canary.as_bytes().to_vec()).collect();
    let sealed = sealed(&harness, &id).await;
    let folder = harness.folder();
    let prints = fingerprints();
    let all_prints: BTreeSet<usize> = (0..prints.len()).collect();
    assert_eq!(search(folder, &prints), all_prints);
    assert_eq!(
        search(folder, &plain),
        BTreeSet::new(),
        "nothing is ever written unencrypted"
    );
    let everything: BTreeSet<usize> = (0..sealed.len()).collect();
    assert!(sealed.len() >= 15, "{}", sealed.len());
    assert_eq!(search(folder, &sealed), everything, "the search finds what is there");

    harness.wait(Millis::days(90)).await;
    assert!(harness.detail(&id).await.session.purged_at.is_some());
    assert_eq!(search(folder, &plain), BTreeSet::new());
    assert_eq!(search(folder, &sealed), BTreeSet::new());
    assert_eq!(search(folder, &prints), BTreeSet::new());
    for shelf in std::fs::read_dir(folder.join("pictures")).unwrap() {
        assert_eq!(std::fs::read_dir(shelf.unwrap().path()).unwrap().count(), 0);
    }
}

/// The columns for bytes that may be empty, of every table with rows of sessions: whatever is encrypted is in one of them.
const SEALED_COLUMNS: &str = "SELECT tables.name || '.' || columns.name
    FROM sqlite_schema AS tables, pragma_table_info(tables.name) AS columns
    WHERE tables.type = 'table' AND columns.type = 'BLOB' AND columns.\"notnull\" = 0 AND (tables.name = 'sessions'
        OR EXISTS (SELECT 1 FROM pragma_table_info(tables.name) AS own WHERE own.name = 'session_id'))";

/// Detects if the erasure does not know of a column that a migration has added.
#[tokio::test]
async fn an_erasure_empties_every_column_that_can_hold_encrypted_data_of_the_session() {
    let (harness, id, rita) = in_review_again().await;
    open_case(&harness.honnin, &rita, &id).await.unwrap();
    reject(&harness, &id, &rita).await;
    let url = harness.database.url.as_str();
    let columns = texts_at(url, SEALED_COLUMNS).await;
    assert!(columns.len() > 15, "{columns:?}");
    let columns: Vec<_> = columns.iter().map(|column| column.split_once('.').unwrap()).collect();
    for (table, column) in &columns {
        let fill = format!("UPDATE {table} SET {column} = x'5ea1ed'");
        let filled = run_at(url, fill.leak()).await;
        assert!(filled > 0 || *table == "identities", "no row of {table}");
    }
    let caller = harness.caller().await;
    erase_of_tenant(&harness.honnin, &caller, id.as_str()).await.unwrap();
    harness.run_until_idle().await;
    assert!(harness.detail(&id).await.session.purged_at.is_some());
    for (table, column) in &columns {
        let left = format!("SELECT COUNT(*) FROM {table} WHERE {column} IS NOT NULL");
        assert_eq!(number_at(url, left.leak()).await, 0, "{table}.{column}");
    }
    // These have hashes and fingerprints, which are never empty.
    for table in ["blind_index", "capture_cookies", "frame_prints", "identities", "links"] {
        let left = format!("SELECT COUNT(*) FROM {table}");
        assert_eq!(number_at(url, left.leak()).await, 0, "{table}");
    }
}

#[tokio::test]
async fn after_an_erasure_the_same_request_creates_nothing_anew() {
    let harness = Harness::new().await;
    let caller = harness.caller().await;
    let once = async || create_session_once(&harness.honnin, &caller, "once", b"{}").await;
    let created = once().await.unwrap();
    assert_eq!(once().await.unwrap().id, created.id);
    erase_now(
        &harness.honnin,
        &Admin::of(&harness.staff(Role::Admin).await).unwrap(),
        &created.id,
    )
    .await
    .unwrap();
    harness.run_until_idle().await;
    assert!(matches!(once().await, Err(CreateSessionError::IdempotencyConflict)));
}

#[tokio::test]
async fn one_sweep_removes_all_old_jobs_however_many_there_are() {
    let harness = Harness::new().await;
    harness
        .database
        .run(
            "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20001)
             INSERT INTO jobs (kind, subject, run_at, finished_at) SELECT 'expire', 'x', 0, 1 FROM n",
        )
        .await;
    sweep::plan(&harness.honnin).await.unwrap();
    harness.wait(Millis::hours(1)).await;
    let left = "SELECT COUNT(*) FROM jobs WHERE finished_at = 1";
    assert_eq!(harness.database.number(left).await, 0);
}

#[tokio::test]
async fn the_sweep_removes_pictures_that_no_session_has_and_no_others() {
    let harness = Harness::new().await;
    let (kept, applicant) = harness.agreed().await;
    harness.photograph(&applicant).await;
    let pictures = Pictures::in_folder(&harness.folder().join("pictures")).unwrap();
    let unknown = SessionId::from_random([7; 16]);
    pictures.put(&unknown, "front", vec![1]).await.unwrap();
    // By the clock of the test: what is newer than the database is kept.
    harness.age_picture(&unknown, "front", START);
    let erased = harness.create().await.id;
    harness.wait(Millis::days(7)).await;
    harness.wait(Millis::days(90)).await;
    assert!(harness.detail(&erased).await.session.purged_at.is_some());
    // As from an upload in progress while the session was erased.
    pictures.put(&erased, "front", vec![1]).await.unwrap();
    let (again, applicant) = harness.agreed().await;
    harness.photograph(&applicant).await;
    harness.run_until_idle().await;

    sweep::plan(&harness.honnin).await.unwrap();
    harness.run_until_idle().await;
    for (session, left) in [(unknown, 0), (erased, 0), (kept, 0), (again, 1)] {
        assert_eq!(pictures.list_names(&session).await.unwrap().len(), left, "{session}");
    }
}

#[tokio::test]
async fn a_secret_in_the_configuration_is_new_when_it_has_changed() {
    let mut harness = Harness::new().await;
    let secret = |text: &str| (SecretKind::OpenIdClientSecret, Secret::new(text.to_owned()));
    let mut seen = Vec::new();
    for configured in [
        vec![secret("one")],
        vec![secret("one")],
        vec![secret("two")],
        vec![secret("two"), (SecretKind::BucketKey, Secret::new("one".to_owned()))],
        vec![],
    ] {
        harness.clock.advance(Millis::days(1));
        harness.secrets = configured;
        harness.restart().await;
        secret_age::note(&harness.honnin).await.unwrap();
        let now = harness.honnin.now();
        let ages = secret_age::oldest(&harness.honnin).await.unwrap().into_iter();
        let ages = ages.filter(|age| !matches!(age.kind, SecretKind::ApiKey | SecretKind::WebhookSecret));
        let days = |since: Timestamp| (now.as_millis() - since.as_millis()) / Millis::days(1).0;
        seen.push(ages.map(|age| (age.kind, days(age.since))).collect::<Vec<_>>());
    }
    let (bucket, client, key) = (
        SecretKind::BucketKey,
        SecretKind::OpenIdClientSecret,
        SecretKind::MasterKey,
    );
    assert_eq!(
        seen,
        [
            vec![(key, 0), (client, 0)],
            vec![(key, 1), (client, 1)],
            vec![(key, 2), (client, 0)],
            vec![(bucket, 0), (key, 3), (client, 1)],
            vec![(key, 4)],
        ]
    );
}

#[tokio::test]
async fn a_long_token_is_the_same_at_the_next_start() {
    let mut harness = Harness::new().await;
    harness.secrets = vec![(SecretKind::KeyServiceToken, Secret::new("e".repeat(2_000)))];
    harness.restart().await;
    let since = async || {
        secret_age::note(&harness.honnin).await.unwrap();
        let ages = secret_age::oldest(&harness.honnin).await.unwrap().into_iter();
        let of_token = ages.filter(|age| age.kind == SecretKind::KeyServiceToken);
        of_token.map(|age| age.since).collect::<Vec<_>>()
    };
    let first = since().await;
    assert_eq!(first, [harness.honnin.now()]);
    harness.clock.advance(Millis::days(1));
    assert_eq!(since().await, first);
}
