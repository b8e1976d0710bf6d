//! Deciding cases in the console.

use crate::{
    console::Browser,
    support::{Server, between},
};
use domain::{
    ids::SessionId,
    outcome::{Authenticity, Checks, DocumentCheck, Outcome, SessionRef, Source, Verdict},
    reasons::Reason,
    role::Role,
    session::Status,
    time::Millis,
};
use service::jobs::worker::{Lane, Worker};
use store::{
    decision::identities::{self, IdentityRow},
    session::sessions,
};

#[tokio::test]
async fn a_case_somebody_works_at_stays_theirs() {
    let server = Server::without_worker().await;
    let id = server.create("{}").await["id"].as_str().unwrap().to_owned();
    server
        .change(&id, |row| {
            row.session.status = Status::Reviewing;
            row.outcome = Some(waiting_outcome(row));
        })
        .await;
    let mut first = Browser::signed_in_as(&server, "first", Role::Reviewer).await;
    let mut second = Browser::signed_in_as(&server, "second", Role::Reviewer).await;
    let keep = format!("/admin/review/{id}/hold?attempt=1");
    assert_eq!(first.get(&format!("/admin/review/{id}")).await.status, 200);
    server.clock.advance(Millis::minutes(14));
    assert_eq!(first.post(&keep, "").await.json()["until"], "2026-08-02 09:59");
    server.clock.advance(Millis::minutes(14));
    assert_eq!(second.post(&keep, "").await.json()["until"], serde_json::Value::Null);
    let earlier = keep.replace("attempt=1", "attempt=0");
    assert_eq!(first.post(&earlier, "").await.json()["until"], serde_json::Value::Null);
    let seen = second.get(&format!("/admin/review/{id}")).await;
    assert!(seen.body.contains("You can view it but not decide it"));
    let unknown = format!("/admin/review/vs_{}/hold", "0".repeat(32));
    assert_eq!(first.post(&unknown, "").await.status, 404);
}

/// What a session has that waits for a reviewer.
/// Of a case that waits for a reviewer.
pub(crate) fn waiting_outcome(row: &store::session::sessions::SessionRow) -> Outcome {
    Outcome {
        session: SessionRef {
            session_id: row.session.id.clone(),
            tenant_id: row.session.tenant.clone(),
        },
        verdict: Verdict::NeedsReview,
        decided_at: row.session.created_at,
        source: Source::Automatic,
        review: None,
        checks: Checks {
            document: Some(DocumentCheck {
                performed: true,
                document_type: None,
                authenticity: Some(Authenticity::Unknown),
            }),
            ..Checks::default()
        },
        reasons: vec![Reason::DocumentBlurry.into()],
    }
}

#[tokio::test]
async fn a_decision_on_a_case_is_undone_with_a_form_and_needs_a_reason_to_reject() {
    let server = Server::sandbox().await;
    let id = server.create("{}").await["id"].as_str().unwrap().to_owned();
    let complete = format!("/v1/sandbox/verification-sessions/{id}/complete");
    let completed = server.call("POST", &complete, r#"{"outcome":"needs_review"}"#).await;
    assert_eq!(completed.status, 200);
    let mut browser = Browser::signed_in(&server, Role::Reviewer).await;
    let case = format!("/admin/review/{id}");
    let page = browser.get(&case).await.body;
    let ticked: Vec<&str> = page
        .split("<input type=\"checkbox\"")
        .skip(1)
        .filter(|tag| tag.split_once('>').is_some_and(|(input, _)| input.contains("checked")))
        .map(|tag| between(tag, "value=\"", &['"']))
        .collect();
    assert!(!ticked.is_empty(), "the system's reasons are ticked");
    let unreasoned = browser.post(&case, "attempt=1&decision=reject&note=Not+her.").await;
    assert!(unreasoned.status == 422 && unreasoned.body.contains("Choose at least one reason"));
    assert!(
        unreasoned.body.contains("Not her.") && !unreasoned.body.contains(" checked"),
        "as it was sent"
    );
    let reasons: String = ticked.iter().map(|reason| format!("&reason={reason}")).collect();
    let rejected = browser
        .post(&case, &format!("attempt=1&decision=reject{reasons}&note=Not+she."))
        .await;
    assert_eq!(rejected.header("location"), Some("/admin/review"));
    let undo = format!("{case}/undo");
    assert!(browser.get("/admin").await.body.contains(&format!("action=\"{undo}\"")));
    assert_eq!(browser.post(&undo, "").await.header("location"), Some(&*case));
    assert!(!browser.get("/admin").await.body.contains(&undo));
    assert!(
        browser.get(&case).await.body.contains("Not she."),
        "the note is there again"
    );
    let late = browser.post(&undo, "").await;
    assert!(late.status == 422 && late.body.contains("can no longer be undone"));
    assert_eq!(
        browser
            .post(&case, &format!("attempt=1&decision=reject{reasons}"))
            .await
            .status,
        303
    );
    server.clock.advance(Millis::seconds(10));
    assert!(!browser.get("/admin").await.body.contains(&undo), "its time is over");
}

#[tokio::test]
async fn an_approval_is_refused_once_where_the_document_was_approved_meanwhile() {
    let (server, ids) = with_cases(2).await;
    for id in &ids {
        let session = SessionId::parse(id).unwrap();
        let keep = server.app.honnin.db().write(async move |tx| {
            let row = sessions::find_any(tx, &session).await?.unwrap();
            let known = IdentityRow {
                session: session.clone(),
                tenant: row.session.tenant,
                document: Some([7; 32]),
                face: None,
                face_engine: String::new(),
                approved_at: None,
            };
            identities::save(tx, &known).await
        });
        keep.await.unwrap();
    }
    let mut browser = Browser::signed_in(&server, Role::Reviewer).await;
    let [first, second] = [0, 1].map(|at| format!("/admin/review/{}", ids[at]));
    assert!(!browser.get(&second).await.body.contains("its document was approved"));
    assert_eq!(browser.post(&first, "attempt=1&decision=approve").await.status, 303);
    let refused = browser.post(&second, "attempt=1&decision=approve&note=Good.").await;
    assert_eq!(refused.status, 422);
    for said in [
        "has just been approved in another session",
        "its document was approved",
        &ids[0],
        "Good.",
    ] {
        assert!(refused.body.contains(said), "{said}");
    }
    let seen = format!("attempt=1&decision=approve&note=Good.&same_document={}", ids[0]);
    assert_eq!(browser.post(&second, &seen).await.status, 303);
}

/// A server with `count` cases that wait for review, and their ids.
async fn with_cases(count: usize) -> (Server, Vec<String>) {
    let server = Server::sandbox().await;
    let mut ids = Vec::new();
    for _ in 0..count {
        ids.push(another_case(&server).await);
    }
    (server, ids)
}

async fn another_case(server: &Server) -> String {
    let id = server.create("{}").await["id"].as_str().unwrap().to_owned();
    let complete = format!("/v1/sandbox/verification-sessions/{id}/complete");
    let completed = server.call("POST", &complete, r#"{"outcome":"needs_review"}"#).await;
    assert_eq!(completed.status, 200);
    id
}

#[tokio::test]
async fn a_user_is_asked_again_after_a_second_look_only() {
    let (server, ids) = with_cases(2).await;
    let mut browser = Browser::signed_in(&server, Role::Reviewer).await;
    for (id, form, address) in [
        (
            &ids[0],
            "attempt=1&decision=ask_again&note=Too+dark.%0D%0AAsk.",
            format!("/admin/review/{}", ids[0]),
        ),
        (&ids[1], "attempt=1", format!("/admin/sessions/{}/reprocess", ids[1])),
    ] {
        let has_note = form.contains("note");
        let status = async || {
            let read = server.call("GET", &format!("/v1/verification-sessions/{id}"), "").await;
            read.json()["status"].as_str().unwrap().to_owned()
        };
        let case = browser.get(&format!("/admin/review/{id}")).await.body;
        let note = between(&case, "<textarea", &['>']);
        assert!(note.contains("maxlength=\"2000\""), "{note}");
        assert!(case.contains(">At most 2,000 characters<"), "until the script counts");
        let look = browser.post(&address, form).await;
        assert!(
            look.status == 200 && look.body.contains("Ask the user again?"),
            "{}",
            look.body
        );
        assert!(look.body.contains(&format!("action=\"{address}\"")), "{}", look.body);
        assert_eq!(look.body.contains("name=\"note\" value=\"Too dark."), has_note);
        let cancelled = browser.post(&address, &format!("{form}&confirmed=no")).await;
        assert!(!has_note || cancelled.body.contains(">Too dark."), "{}", cancelled.body);
        assert_eq!(status().await, "reviewing", "{address}");
        let asked = browser.post(&address, &format!("{form}&confirmed=yes")).await;
        assert!(
            asked.status == 200 && asked.body.contains("New link created"),
            "{}",
            asked.body
        );
        assert_eq!(status().await, "collecting", "{address}");
    }
    for path in ["/admin/review/vs_", "/admin/sessions/vs_"] {
        let end = if path.contains("review") { "" } else { "/reprocess" };
        let unknown = format!("{path}{}{end}", "0".repeat(32));
        assert_eq!(browser.post(&unknown, "attempt=1&decision=ask_again").await.status, 404);
    }
}

#[tokio::test]
async fn who_has_looked_at_an_earlier_attempt_is_shown_the_present_one_instead_of_deciding_it() {
    let (server, ids) = with_cases(1).await;
    let id = &ids[0];
    let mut browser = Browser::signed_in(&server, Role::Reviewer).await;
    let shown = browser.get(&format!("/admin/review/{id}")).await.body;
    assert!(
        shown.contains(r#"<input type="hidden" name="attempt" value="1">"#),
        "{shown}"
    );
    let reprocess = format!("/v1/verification-sessions/{id}/reprocess");
    assert_eq!(server.call("POST", &reprocess, "{}").await.status, 200);
    let complete = format!("/v1/sandbox/verification-sessions/{id}/complete");
    let completed = server.call("POST", &complete, r#"{"outcome":"needs_review"}"#).await;
    assert_eq!(completed.status, 200, "{}", completed.body);
    let case = format!("/admin/review/{id}");
    for form in [
        "attempt=1&decision=approve&note=Seen.",
        "attempt=1&decision=reject&reason=document_expired&note=Seen.",
        "attempt=1&decision=ask_again&confirmed=yes&note=Seen.",
        // A page of a release that did not say which.
        "decision=approve&note=Seen.",
    ] {
        let refused = browser.post(&case, form).await;
        assert_eq!(refused.status, 422, "{form}: {}", refused.body);
        for part in ["showed an earlier attempt", r#"name="attempt" value="2""#, ">Seen.<"] {
            assert!(refused.body.contains(part), "{form}, {part}: {}", refused.body);
        }
    }
    let restart = format!("/admin/sessions/{id}/reprocess");
    let refused = browser.post(&restart, "attempt=1&confirmed=yes").await;
    assert_eq!(refused.status, 303);
    let told = browser.get(&format!("/admin/sessions/{id}")).await.body;
    assert!(told.contains("showed an earlier attempt"), "{told}");
    assert!(told.contains(r#"name="attempt" value="2""#), "{told}");
    let decided = browser.post(&case, "attempt=2&decision=approve").await;
    assert_eq!(decided.status, 303, "{}", decided.body);
}

#[tokio::test]
async fn undoing_a_decision_stays_in_the_part_of_the_queue_that_was_worked_on() {
    let (server, ids) = with_cases(2).await;
    let mut browser = Browser::signed_in(&server, Role::Reviewer).await;
    let part = "?reason=document_authenticity_unknown&assigned=me";
    for id in &ids {
        let take = format!("/admin/review/{id}/assign{part}");
        let me = between(
            &browser.get(&format!("/admin/review/{id}")).await.body,
            "name=\"to\" value=\"",
            &['"'],
        )
        .to_owned();
        let taken = browser.post(&take, &format!("before=&to={me}&back=case")).await;
        assert_eq!(taken.header("location"), Some(&*format!("/admin/review/{id}{part}")));
    }
    let reject = "attempt=1&decision=reject&reason=document_expired";
    let rejected = browser.post(&format!("/admin/review/{}{part}", ids[0]), reject).await;
    let next = format!("/admin/review/{}{part}", ids[1]);
    assert_eq!(rejected.header("location"), Some(&*next));
    let page = browser.get(&next).await.body;
    let undo = format!("/admin/review/{}/undo{part}", ids[0]);
    let action = format!("action=\"{}\"", undo.replace('&', "&amp;"));
    assert!(page.contains(&action), "{action}");
    let undone = browser.post(&undo, "").await;
    assert_eq!(
        undone.header("location"),
        Some(&*format!("/admin/review/{}{part}", ids[0])),
        "the filters stay"
    );
    // The filters of another list are no part of the queue.
    browser.post(&format!("/admin/review/{}{part}", ids[0]), reject).await;
    let elsewhere = browser.get("/admin/sessions?reason=document_expired").await.body;
    assert!(elsewhere.contains(&format!("action=\"/admin/review/{}/undo\"", ids[0])));
}

#[tokio::test]
async fn an_open_queue_is_told_of_new_cases_and_does_not_keep_its_session_alive() {
    let (server, _) = with_cases(1).await;
    let mut browser = Browser::signed_in(&server, Role::Reviewer).await;
    let page = browser.get("/admin/review").await.body;
    let version = |page: &str| between(page, "data-version=\"", &['"']).to_owned();
    let ask = |version: &str| format!("/admin/review/cases?seen={version}");
    let seen = version(&page);
    let same = browser.get(&ask(&seen)).await;
    assert_eq!((same.status, same.body.as_str()), (204, ""));
    let new = another_case(&server).await;
    let told = browser.get(&ask(&seen)).await;
    assert_eq!((told.status, told.header("cache-control")), (200, Some("no-store")));
    let told = told.json();
    assert_eq!(told["backlog"], 2);
    assert!(told["ids"].as_array().unwrap().iter().any(|id| id == new.as_str()));
    assert!(told["regions"]["cases"].as_str().unwrap().contains(&new));
    let now = version(&browser.get("/admin/review").await.body);
    assert_eq!(
        told["version"],
        now.as_str(),
        "the page and the answer name a state alike"
    );
    // A page of one kind of document is not told of another's.
    let others = browser.get("/admin/review/cases?document=residence_card").await.json();
    assert_eq!(others["ids"], serde_json::json!([]));
    // A notice is for the next page, not for what a page asks for by itself.
    let take = format!("/admin/review/{new}/assign");
    assert_eq!(browser.post(&take, "before=&to=").await.status, 303);
    browser.get(&ask("")).await;
    assert!(browser.get("/admin/review").await.body.contains("assigned to nobody"));
    // Asking goes on while nobody is there, and ends with the session.
    for minutes in [10, 10, 9] {
        server.clock.advance(Millis::minutes(minutes));
        assert_ne!(browser.get(&ask("")).await.status, 303);
    }
    server.clock.advance(Millis::minutes(2));
    let over = browser.get(&ask("")).await;
    assert_eq!(over.status, 303, "the session was idle for 31 minutes");
    assert!(over.header("location").unwrap().starts_with("/admin/sign-in"));
}

#[tokio::test]
async fn a_case_that_a_colleague_took_is_not_taken_again_and_not_the_next_one() {
    let (server, ids) = with_cases(2).await;
    let mut first = Browser::signed_in_as(&server, "first", Role::Reviewer).await;
    let mut second = Browser::signed_in_as(&server, "second", Role::Reviewer).await;
    let take = async |browser: &mut Browser, id: &str| {
        let queue = browser.get("/admin/review").await.body;
        let form = between(&queue, &format!("/admin/review/{id}/assign\">"), &['@']);
        let me = between(form, "name=\"to\" value=\"", &['"']).to_owned();
        (format!("/admin/review/{id}/assign"), format!("before=&to={me}"))
    };
    let (path, of_second) = take(&mut second, &ids[0]).await;
    let (_, of_first) = take(&mut first, &ids[0]).await;
    assert_eq!(
        first.post(&path, &of_first).await.header("location"),
        Some("/admin/review")
    );
    assert!(first.get("/admin/review").await.body.contains("Unassign"));
    second.post(&path, &of_second).await;
    let queue = second.get("/admin/review").await.body;
    assert!(queue.contains("was assigned to"), "told who was first");
    let start = between(&queue, "data-region=\"start\"><a href=\"", &['"']);
    assert_eq!(start, format!("/admin/review/{}", ids[1]), "one that nobody has taken");
    assert_eq!(second.post(&path, "before=nonsense&to=").await.status, 422);
}

#[tokio::test]
async fn the_overview_draws_the_backlog_of_each_day_with_its_numbers_beside_it() {
    let (server, ids) = with_cases(3).await;
    let day = || server.app.honnin.now().to_iso()[..10].to_owned();
    let mut browser = Browser::signed_in(&server, Role::Admin).await;
    let first = day();
    server.clock.advance(Millis::days(1));
    browser.sign_in("admin@shop.example").await;
    // One leaves by a decision, one by erasure; asking again and deciding again brings the third back.
    let reject = "attempt=1&decision=reject&reason=document_expired";
    let rejected = browser.post(&format!("/admin/review/{}", ids[0]), reject).await;
    assert_eq!(rejected.status, 303, "{}", rejected.body);
    server.clock.advance(Millis::seconds(11));
    let reprocess = format!("/v1/verification-sessions/{}/reprocess", ids[1]);
    let again = server.call("POST", &reprocess, "{}").await;
    assert_eq!(again.status, 200, "{}", again.body);
    for lane in Lane::ALL {
        let worker = Worker::new(server.app.honnin.clone(), lane, 1);
        worker.run_until_idle().await.unwrap();
    }
    let second = day();
    server.clock.advance(Millis::days(1));
    let complete = format!("/v1/sandbox/verification-sessions/{}/complete", ids[1]);
    let completed = server.call("POST", &complete, r#"{"outcome":"needs_review"}"#).await;
    assert_eq!(completed.status, 200, "{}", completed.body);
    let third = day();
    browser.sign_in("admin@shop.example").await;
    for (language, caption, most) in [
        ("en", "Cases waiting for review at the end of each day", "at most 3"),
        ("ja", "各日の終わりの審査待ち件数", "最大3件"),
    ] {
        browser.language = Some(language);
        let page = browser.get("/admin?days=7").await.body;
        let table = between(&page, &format!("aria-label=\"{caption}\" class=\"scroll\">"), &['§']);
        let table = table.split("</table>").next().unwrap();
        for (day, count) in [(&first, 3), (&second, 1), (&third, 2)] {
            let row = table.split("<tr").find(|row| row.contains(day.as_str())).unwrap();
            assert!(row.contains(&format!(">{count}<")), "{day}: {row}");
        }
        assert!(page.contains(most), "{page}");
    }
}
