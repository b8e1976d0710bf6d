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

/// The reasons that are ticked on a case.
fn ticked(page: &str) -> Vec<&str> {
    page.split("<input type=\"checkbox\"")
        .skip(1)
        .filter(|tag| tag.split_once('>').is_some_and(|(input, _)| input.contains("checked")))
        .map(|tag| between(tag, "value=\"", &['"']))
        .collect()
}

#[tokio::test]
async fn nobody_is_rejected_because_they_were_selected_for_quality_control() {
    let server = Server::without_worker().await;
    let id = server.create("{}").await["id"].as_str().unwrap().to_owned();
    server
        .change(&id, |row| {
            row.session.status = Status::Reviewing;
            row.outcome = Some(Outcome {
                reasons: vec![Reason::QualitySampling.into()],
                ..waiting_outcome(row)
            });
        })
        .await;
    let mut browser = Browser::signed_in(&server, Role::Reviewer).await;
    let case = format!("/admin/review/{id}");
    let page = browser.get(&case).await.body;
    assert!(page.contains("selected for quality control"), "{page}");
    assert_eq!(ticked(&page), Vec::<&str>::new());
    let reject = |reasons: &str| format!("attempt=1&decision=reject{reasons}");
    for none in ["", "&reason=quality_sampling"] {
        let refused = browser.post(&case, &reject(none)).await;
        assert_eq!(refused.status, 422, "{none}");
        assert!(refused.body.contains("Choose at least one reason"), "{}", refused.body);
    }
    let rejected = browser.post(&case, &reject("&reason=document_tampered")).await;
    assert_eq!(rejected.status, 303, "{}", rejected.body);
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
    let ticked = ticked(&page);
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
    let usual = browser.language.replace("ja");
    let in_japanese = browser.post(&undo, "").await.body;
    browser.language = usual;
    assert!(in_japanese.contains("<h2>取り消せませんでした</h2>"), "{in_japanese}");
    assert!(
        !in_japanese.contains("入力内容を確認してください"),
        "nothing was entered: {in_japanese}"
    );
    let summary = between(&late.body, "error-summary", &['§']);
    let session = format!("href=\"/admin/sessions/{id}\"");
    assert!(
        summary.split("</ul>").next().unwrap().contains(&session),
        "where the user can be asked again: {summary}"
    );
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
async fn whoever_presses_the_button_of_a_decision_twice_goes_on_to_the_next_case() {
    let (server, ids) = with_cases(2).await;
    let mut browser = Browser::signed_in(&server, Role::Reviewer).await;
    let [first, second] = [0, 1].map(|at| format!("/admin/review/{}", ids[at]));
    for _ in 0..2 {
        let approved = browser.post(&first, "attempt=1&decision=approve&note=Seen.").await;
        assert_eq!(approved.header("location"), Some(&*second), "{}", approved.body);
    }
    let other = browser
        .post(&first, "attempt=1&decision=reject&reason=document_expired")
        .await;
    assert!(
        other.status == 422 && other.body.contains("has just decided this case"),
        "{}",
        other.body
    );
}

#[tokio::test]
async fn a_case_says_which_steps_were_not_checked() {
    let server = Server::without_worker().await;
    let id = server.create("{}").await["id"].as_str().unwrap().to_owned();
    let mut browser = Browser::signed_in(&server, Role::Reviewer).await;
    for (performed, said) in [
        (true, "Selfie was not checked"),
        (false, "Document and Selfie were not checked"),
    ] {
        server
            .change(&id, move |row| {
                let mut outcome = waiting_outcome(row);
                outcome.checks.document.as_mut().unwrap().performed = performed;
                row.session.status = Status::Reviewing;
                row.outcome = Some(outcome);
            })
            .await;
        let page = browser.get(&format!("/admin/review/{id}")).await.body;
        assert!(page.contains(said), "{said}: {page}");
    }
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
        // The queue shows the oldest first, and what is equally old in no order.
        server.clock.advance(Millis::seconds(1));
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
        let goes_on = asked
            .body
            .contains("href=\"/admin/review\" class=\"button secondary small\">Back to the queue<");
        assert_eq!(goes_on, has_note, "whoever comes from a case: {}", asked.body);
    }
    for path in ["/admin/review/vs_", "/admin/sessions/vs_"] {
        let end = if path.contains("review") { "" } else { "/reprocess" };
        let unknown = format!("{path}{}{end}", "0".repeat(32));
        assert_eq!(browser.post(&unknown, "attempt=1&decision=ask_again").await.status, 404);
    }
}

#[tokio::test]
async fn a_form_that_asks_again_twice_leads_to_where_its_link_is_reissued() {
    let (server, ids) = with_cases(2).await;
    let mut browser = Browser::signed_in(&server, Role::Reviewer).await;
    for (id, form, address) in [
        (
            &ids[0],
            "attempt=1&decision=ask_again&confirmed=yes&note=Too+dark.",
            format!("/admin/review/{}", ids[0]),
        ),
        (
            &ids[1],
            "attempt=1&confirmed=yes",
            format!("/admin/sessions/{}/reprocess", ids[1]),
        ),
    ] {
        let session = format!("/admin/sessions/{id}");
        assert_eq!(browser.post(&address, form).await.status, 200);
        let again = browser.post(&address, form).await;
        assert_eq!(again.header("location"), Some(&*session), "{}", again.body);
        let told = browser.get(&session).await.body;
        for part in ["already been asked again", &format!("action=\"{session}/link\"")] {
            assert!(told.contains(part), "{part}: {told}");
        }
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
    assert!(browser.get("/admin/review").await.body.contains("no longer assigned"));
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
        let form = between(&queue, &format!("/admin/review/{id}/take\">"), &['@']);
        let me = between(form, "name=\"to\" value=\"", &['"']).to_owned();
        (format!("/admin/review/{id}/take"), format!("before=&to={me}"))
    };
    let (path, of_second) = take(&mut second, &ids[0]).await;
    let (_, of_first) = take(&mut first, &ids[0]).await;
    assert_eq!(
        first.post(&path, &of_first).await.header("location"),
        Some(&*format!("/admin/review#{}", ids[0]))
    );
    assert!(first.get("/admin/review").await.body.contains("Unassign"));
    second.post(&path, &of_second).await;
    let queue = second.get("/admin/review").await.body;
    assert!(queue.contains("was assigned to"), "told who was first");
    let next = format!("/admin/review/{}", ids[1]);
    let started = second.post("/admin/review", "").await;
    assert_eq!(started.header("location"), Some(&*next), "one that nobody has taken");
    assert_eq!(second.post(&path, "before=nonsense&to=").await.status, 422);
}

#[tokio::test]
async fn taking_a_case_down_the_queue_leads_back_to_its_row_and_the_oldest_case_is_still_the_first_one() {
    let server = Server::sandbox().await;
    let oldest = another_case(&server).await;
    let after = format!("{}.{oldest}", server.app.honnin.now().as_millis());
    server.clock.advance(Millis::seconds(1));
    let case = another_case(&server).await;
    let mut browser = Browser::signed_in(&server, Role::Reviewer).await;
    let second_page = format!("/admin/review?after={after}");
    let queue = browser.get(&second_page).await.body;
    assert!(!queue.contains(&format!("data-case=\"{oldest}\"")), "{queue}");
    assert!(queue.contains(&format!("id=\"{case}\"")), "{queue}");
    assert!(queue.contains("data-first"), "{queue}");
    let started = browser.post("/admin/review", "").await;
    assert_eq!(started.header("location"), Some(&*format!("/admin/review/{oldest}")));
    let take = format!("/admin/review/{case}/take?after={after}");
    assert!(queue.contains(&format!("action=\"{take}\"")), "{queue}");
    let me = between(&queue, "name=\"to\" value=\"", &['"']);
    let taken = browser.post(&take, &format!("before=&to={me}")).await;
    assert_eq!(taken.header("location"), Some(&*format!("{second_page}#{case}")));
}

#[tokio::test]
async fn two_reviewers_who_begin_or_go_on_before_they_open_a_case_get_different_ones() {
    let (server, ids) = with_cases(4).await;
    let mut first = Browser::signed_in_as(&server, "first", Role::Reviewer).await;
    let mut second = Browser::signed_in_as(&server, "second", Role::Reviewer).await;
    let case = |at: usize| format!("/admin/review/{}", ids[at]);
    for (browser, at) in [(&mut first, 0), (&mut second, 1)] {
        let started = browser.post("/admin/review", "").await;
        assert_eq!(started.header("location"), Some(&*case(at)));
    }
    let reject = "attempt=1&decision=reject&reason=document_expired";
    for (browser, at) in [(&mut first, 0), (&mut second, 1)] {
        let decided = browser.post(&case(at), reject).await;
        assert_eq!(decided.header("location"), Some(&*case(at + 2)));
    }
    let mut third = Browser::signed_in_as(&server, "third", Role::Reviewer).await;
    let none = third.post("/admin/review", "").await;
    assert_eq!(none.header("location"), Some("/admin/review"));
    let told = third.get("/admin/review").await.body;
    assert!(
        told.contains("All waiting cases are reserved for or assigned to others."),
        "{told}"
    );
}

#[tokio::test]
async fn a_later_page_of_the_queue_on_which_every_case_was_decided_shows_those_that_still_wait() {
    let server = Server::sandbox().await;
    let case = another_case(&server).await;
    // The last case of the page before; those after it have been decided.
    let after = format!("{}.{case}", server.app.honnin.now().as_millis());
    let mut browser = Browser::signed_in(&server, Role::Reviewer).await;
    let queue = browser.get(&format!("/admin/review?after={after}")).await.body;
    assert!(queue.contains(&format!("data-case=\"{case}\"")), "{queue}");
    assert!(!queue.contains("Nothing to review"), "{queue}");
    let live = browser.get(&format!("/admin/review/cases?after={after}")).await.json();
    assert_eq!(live["ids"], serde_json::json!([case]), "{live}");
    let none = "/admin/review?document=residence_card&after=";
    let queue = browser.get(&format!("{none}{after}")).await.body;
    assert!(queue.contains("No cases match these filters"), "{queue}");
}

#[tokio::test]
async fn taking_or_assigning_a_case_keeps_the_note_and_the_reasons_that_are_being_typed() {
    let (server, ids) = with_cases(1).await;
    let mut browser = Browser::signed_in(&server, Role::Reviewer).await;
    let case = format!("/admin/review/{}", ids[0]);
    let assign = format!("{case}/assign");
    let page = browser.get(&case).await.body;
    let is_of_assigning = |tag: &&str| tag.contains(&format!("formaction=\"{assign}\""));
    let tags = page.split('<').map(|rest| rest.split('>').next().unwrap());
    let buttons: Vec<&str> = tags.clone().filter(is_of_assigning).collect();
    assert_eq!(buttons.len(), 2, "to take it, and to assign it to somebody else");
    for name in ["before", "back", "colleague"] {
        let field = tags.clone().find(|tag| tag.contains(&format!("name=\"{name}\"")));
        assert!(field.unwrap().contains("form=\"ruling\""), "{name}");
    }
    assert!(buttons.iter().all(|button| button.contains("form=\"ruling\"")));
    let me = between(buttons[0], "name=\"to\" value=\"", &['"']);
    let typed = "attempt=1&reason=document_expired&note=Look%0D%0Aagain.&back=case";
    for (form, told) in [
        (format!("{typed}&before=&colleague=&to={me}"), "assigned to you"),
        (format!("{typed}&before={me}&colleague="), "no longer assigned"),
        (
            format!("{typed}&before={me}&colleague={me}"),
            "unassigned in the meantime",
        ),
    ] {
        let assigned = browser.post(&assign, &form).await;
        assert_eq!(assigned.status, 200, "{told}: {}", assigned.body);
        for part in [told, ">Look\nagain.</textarea>", "data-unsaved=\"yes\""] {
            assert!(assigned.body.contains(part), "{told}, {part}: {}", assigned.body);
        }
        assert_eq!(ticked(&assigned.body), ["document_expired"], "{told}");
    }
    // What nobody has typed is not lost either.
    let untouched: String = ticked(&page).iter().map(|reason| format!("&reason={reason}")).collect();
    let untouched = format!("attempt=1&note=&back=case&before=&to={me}{untouched}");
    let taken = browser.post(&assign, &untouched).await.body;
    assert!(!taken.contains("data-unsaved"), "{taken}");
}

#[tokio::test]
async fn going_on_to_another_case_frees_the_one_that_is_left_and_no_other() {
    let (server, ids) = with_cases(2).await;
    let mut first = Browser::signed_in_as(&server, "first", Role::Reviewer).await;
    let mut second = Browser::signed_in_as(&server, "second", Role::Reviewer).await;
    let part = "?reason=document_authenticity_unknown";
    let [left, other] = [0, 1].map(|at| format!("/admin/review/{}{part}", ids[at]));
    let page = first.get(&left).await.body;
    assert_eq!(between(&page, "name=\"case\" value=\"", &['"']), ids[1]);
    let leave = format!("/admin/review/{}/leave{part}", ids[0]);
    assert!(page.contains(&format!("action=\"{leave}\"")), "{page}");
    let onward = format!("case={}", ids[1]);
    assert_eq!(first.post(&leave, &onward).await.header("location"), Some(&*other));
    first.get(&other).await;
    assert!(second.get(&left).await.body.contains("Reserved for you until"), "free");
    assert!(
        second
            .get(&other)
            .await
            .body
            .contains("You can view it but not decide it")
    );
    // Of the first reviewer's reservation, the second ends nothing.
    let stay = format!("/admin/review/{}/leave", ids[1]);
    assert_eq!(second.post(&stay, &format!("case={}", ids[0])).await.status, 303);
    assert!(
        second
            .get(&other)
            .await
            .body
            .contains("You can view it but not decide it")
    );
    for nowhere in ["", "case=", "case=https%3A%2F%2Fevil.example"] {
        assert_eq!(first.post(&leave, nowhere).await.status, 422, "{nowhere}");
    }
}

#[tokio::test]
async fn whoever_goes_on_with_something_typed_is_asked_first_and_loses_nothing() {
    let (server, ids) = with_cases(2).await;
    let mut browser = Browser::signed_in(&server, Role::Reviewer).await;
    let case = format!("/admin/review/{}", ids[0]);
    let leave = format!("{case}/leave");
    let page = browser.get(&case).await.body;
    let tags: Vec<&str> = page.split('<').map(|rest| rest.split('>').next().unwrap()).collect();
    let next = tags.iter().find(|tag| tag.contains("data-step=\"next\"")).unwrap();
    for part in ["form=\"ruling\"", &format!("formaction=\"{leave}\"")] {
        assert!(next.contains(part), "{part}: {next}");
    }
    let ticked_first: String = ticked(&page).iter().map(|reason| format!("&reason={reason}")).collect();
    let onward = format!("case={}", ids[1]);
    let reason = "&reason=document_expired";
    for typed in [
        format!("attempt=1&note=Look%0D%0Aagain.{ticked_first}"),
        format!("attempt=1&note={reason}"),
    ] {
        let asked = browser.post(&leave, &format!("{typed}&{onward}")).await;
        assert_eq!(asked.status, 200, "{typed}: {}", asked.body);
        assert!(asked.body.contains("Leave without saving"), "{typed}: {}", asked.body);
        assert!(asked.body.contains("data-unsaved=\"yes\""), "{typed}: {}", asked.body);
        assert_eq!(asked.body.contains(">Look\nagain.</textarea>"), typed.contains("Look"));
        assert_eq!(ticked(&asked.body) == ["document_expired"], typed.contains(reason));
        let sure = between(&asked.body, "name=\"leaving\" value=\"", &['"']);
        assert_eq!(sure, ids[1], "{typed}");
        let left = browser.post(&leave, &format!("{typed}&leaving={sure}")).await;
        assert_eq!(left.header("location"), Some(&*format!("/admin/review/{}", ids[1])));
        browser.get(&case).await;
    }
    let untouched = format!("attempt=1&note={ticked_first}&{onward}");
    let left = browser.post(&leave, &untouched).await;
    assert_eq!(left.header("location"), Some(&*format!("/admin/review/{}", ids[1])));
}

#[tokio::test]
async fn enter_in_the_form_of_a_decision_decides_and_assigns_nothing() {
    let (server, ids) = with_cases(2).await;
    let mut browser = Browser::signed_in(&server, Role::Reviewer).await;
    let case = format!("/admin/review/{}", ids[0]);
    let page = browser.get(&case).await.body;
    let tags = page.split('<').map(|rest| rest.split('>').next().unwrap());
    let mut buttons = tags.filter(|tag| tag.starts_with("button") && tag.contains("form=\"ruling\""));
    let first = buttons.next().unwrap();
    assert!(first.contains("name=\"decision\" value=\"look\""), "{first}");
    assert!(!first.contains("formaction"), "{first}");
    let typed = "attempt=1&before=&back=case&colleague=&reason=document_expired&note=Look+again.&decision=look";
    let shown = browser.post(&case, typed).await;
    assert_eq!(shown.status, 200, "{}", shown.body);
    assert!(shown.body.contains(">Look again.</textarea>"), "{}", shown.body);
    assert_eq!(ticked(&shown.body), ["document_expired"]);
    assert!(shown.body.contains("Reserved for you until"), "{}", shown.body);
    assert!(!shown.body.contains("Unassign"), "{}", shown.body);
}

#[tokio::test]
async fn of_two_decisions_the_last_one_is_the_first_to_be_undone() {
    let (server, ids) = with_cases(2).await;
    let mut browser = Browser::signed_in(&server, Role::Reviewer).await;
    for id in &ids {
        server.clock.advance(Millis::seconds(1));
        let reject = "attempt=1&decision=reject&reason=document_expired";
        let rejected = browser.post(&format!("/admin/review/{id}"), reject).await;
        assert_eq!(rejected.status, 303, "{}", rejected.body);
    }
    let page = browser.get("/admin").await.body;
    let undone: Vec<&str> = page
        .split("action=\"/admin/review/")
        .skip(1)
        .map(|form| form.split('/').next().unwrap())
        .collect();
    assert_eq!(undone, [&*ids[1], &*ids[0]]);
    // Each says which case it is, and the key is that of the first button.
    for (id, has_key) in [(&ids[1], true), (&ids[0], false)] {
        let (_, form) = page.split_once(&format!("{id}/undo\"")).unwrap();
        let form = form.split("</form>").next().unwrap();
        let short = format!(">{}…{}<", &id[..7], &id[id.len() - 4..]);
        assert!(form.contains(&short), "{form}");
        assert_eq!(form.contains(">U</kbd>"), has_key, "{form}");
    }
}

#[tokio::test]
async fn the_seconds_to_undo_a_decision_are_said_once_and_not_each() {
    let (server, ids) = with_cases(1).await;
    let mut browser = Browser::signed_in(&server, Role::Reviewer).await;
    let reject = "attempt=1&decision=reject&reason=document_expired";
    browser.post(&format!("/admin/review/{}", ids[0]), reject).await;
    let page = browser.get("/admin").await.body;
    let undo = between(&page, "/undo\"", &['§']).split("</form>").next().unwrap();
    assert_eq!(undo.matches("role=\"status\"").count(), 1, "{undo}");
    let said = between(undo, "role=\"status\"", &['§'])
        .split("</span>")
        .next()
        .unwrap();
    assert!(
        said.ends_with(">Rejected. Your server will be notified in 10 seconds."),
        "{said}"
    );
    let (before, _) = undo.split_once("data-left").unwrap();
    let around = before.rsplit("<span").nth(1).unwrap();
    assert!(around.contains("aria-hidden=\"true\""), "{around}");
}

#[tokio::test]
async fn what_is_wrong_with_a_decision_leads_to_something_on_the_page() {
    let server = Server::sandbox_with("[worker]\nembedded = false\n").await;
    let mut ids = Vec::new();
    for _ in 0..3 {
        ids.push(another_case(&server).await);
    }
    let mut first = Browser::signed_in_as(&server, "first", Role::Reviewer).await;
    let mut second = Browser::signed_in_as(&server, "second", Role::Reviewer).await;
    let case = |at: usize| format!("/admin/review/{}", ids[at]);
    // One is reserved by somebody else, one just decided, one decided for good; of one's own the reasons are missing.
    assert_eq!(first.get(&case(0)).await.status, 200);
    let approve = "attempt=1&decision=approve&note=Seen.";
    assert_eq!(first.post(&case(1), approve).await.status, 303);
    assert_eq!(first.post(&case(2), approve).await.status, 303);
    let refused = async |browser: &mut Browser<'_>, at: usize, form: &str, to: &str| {
        let refused = browser.post(&case(at), form).await;
        assert_eq!(refused.status, 422, "{at}: {}", refused.body);
        let summary = between(&refused.body, "error-summary", &['§']);
        let summary = summary.split("</ul>").next().unwrap();
        assert_eq!(between(summary, "href=\"#", &['"']), to, "{at}");
        assert!(refused.body.contains(&format!("id=\"{to}\"")), "{at}: {}", refused.body);
    };
    refused(&mut second, 0, approve, "decision").await;
    refused(&mut second, 1, approve, "decision").await;
    refused(&mut first, 0, "attempt=1&decision=reject&note=Seen.", "reasons").await;
    server.clock.advance(Millis::seconds(10));
    for lane in Lane::ALL {
        let worker = Worker::new(server.app.honnin.clone(), lane, 1);
        worker.run_until_idle().await.unwrap();
    }
    refused(&mut second, 2, approve, "decision").await;
}

#[tokio::test]
async fn an_open_queue_says_aloud_that_its_person_is_signed_out() {
    let server = Server::sandbox().await;
    let mut browser = Browser::signed_in(&server, Role::Reviewer).await;
    let page = browser.get("/admin/review").await.body;
    let told = page.split("<p ").find(|rest| rest.contains("data-signed-out")).unwrap();
    let tag = told.split('>').next().unwrap();
    assert!(tag.contains("role=\"alert\"") && tag.contains("hidden"), "{tag}");
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
