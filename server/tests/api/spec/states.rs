//! States and transitions.

use super::{Row, exempt, here, world};
use crate::{browser::Browser, console, support::SESSIONS};
use domain::{role::Role, session::Status, time::Millis};
use serde_json::{Value, json};
use service::review::UNDO;
use world::{World, text};

pub(super) const ROWS: &[Row] = &[
    here!("created | Just created", each_status_is_met),
    here!("collecting | User is", each_status_is_met),
    here!("deciding | Submission", each_status_is_met),
    here!("reviewing | Verdict", each_status_is_met),
    here!("completed | Decision", each_status_is_met),
    here!("expired | Deadline", each_status_is_met),
    here!("failed | Ended", each_status_is_met),
    here!("`verdict` values", review_ends_with_another_event),
    here!("created | time reaches", the_deadline_ends_both_with_one_event),
    here!("collecting | time reaches", the_deadline_ends_both_with_one_event),
    here!("completed | reprocess", three_states_return_to_collecting),
    here!("failed | reprocess", three_states_return_to_collecting),
    here!("reviewing | reprocess", three_states_return_to_collecting),
    here!("expired | reprocess", no_other_state_is_reprocessed),
    here!("Only `created` and `collecting` expire", only_two_states_expire_by_time),
    here!("`deciding` and `reviewing` never", only_two_states_expire_by_time),
    exempt!(
        "Other transitions",
        "left open there; the random walks of domain::session hold ours"
    ),
];

async fn open(world: &World) -> String {
    let created = world.server.create("{}").await;
    let url = text(&created["verificationUrl"]);
    let path = url.strip_prefix("https://id.example").unwrap();
    assert_eq!(Browser::new(&world.server).open(path).await.status, 303);
    text(&created["id"])
}

pub(super) async fn each_status_is_met() {
    let world = World::new().await;
    let status = async |id: &str| text(&world.read(id).await["status"]);
    assert_eq!(status(&world.create("{}").await).await, "created");
    let opened = open(&world).await;
    assert_eq!(status(&opened).await, "collecting");
    // As a submit leaves it until the decision is made.
    world
        .server
        .change(&opened, |row| row.session.status = Status::Deciding)
        .await;
    assert_eq!(status(&opened).await, "deciding");
    for (outcome, expected) in [
        ("needs_review", "reviewing"),
        ("approved", "completed"),
        ("rejected", "completed"),
        ("failed", "failed"),
        ("expired", "expired"),
    ] {
        let id = world.ended("{}", outcome).await;
        assert_eq!(status(&id).await, expected);
        let verdict = world.read(&id).await["outcome"]["verdict"].clone();
        let decided = ["reviewing", "completed"].contains(&expected);
        assert_eq!(verdict, if decided { json!(outcome) } else { Value::Null });
    }
}

async fn review_ends_with_another_event() {
    for (ruling, verdict) in [("approve", "approved"), ("reject", "rejected")] {
        let world = World::new().await;
        let id = world.ended("{}", "needs_review").await;
        let mut reviewer = console::Browser::signed_in(&world.server, Role::Reviewer).await;
        reviewer
            .post(
                &format!("/admin/review/{id}"),
                &format!("attempt=1&decision={ruling}&reason=manual_rejection"),
            )
            .await;
        world.wait(UNDO).await;
        let read = world.read(&id).await;
        assert_eq!(
            (text(&read["status"]), text(&read["outcome"]["verdict"])),
            ("completed".into(), verdict.into())
        );
        let events: Vec<_> = world.events().await.iter().map(|event| event.json()).collect();
        assert_eq!(events[0]["type"], "verification.needs_review");
        assert_eq!(events[1]["type"], format!("verification.{verdict}"));
        assert_ne!(events[0]["id"], events[1]["id"]);
    }
}

async fn the_deadline_ends_both_with_one_event() {
    let world = World::new().await;
    let ids = [world.create("{}").await, open(&world).await];
    world.wait(Millis(Millis::days(7).0 - 1)).await;
    assert!(world.receiver.received().is_empty());
    world.server.clock.advance(Millis(1));
    for id in &ids {
        assert_eq!(world.read(id).await["status"], "expired", "before any work is done");
    }
    let events = world.events().await;
    assert_eq!(events.len(), 2);
    for event in events {
        let event = event.json();
        assert_eq!(event["type"], "verification.expired");
        assert!(ids.contains(&text(&event["data"]["session"]["sessionId"])));
    }
    world.wait(Millis::days(30)).await;
    assert_eq!(world.receiver.received().len(), 2, "once");
}

pub(super) async fn only_two_states_expire_by_time() {
    let world = World::new().await;
    for status in Status::ALL {
        let id = world.create("{}").await;
        let status = *status;
        world.server.change(&id, move |row| row.session.status = status).await;
        let due = world.read(&id).await["expiresAt"].clone();
        world.server.clock.advance(Millis::days(7));
        let ends = matches!(status, Status::Created | Status::Collecting | Status::Expired);
        let expected = if ends { "expired" } else { status.as_str() };
        assert_eq!(world.read(&id).await["status"], expected, "{status} past {due}");
        // A deciding session here has no submission, so the due work stays undone.
    }
}

pub(super) async fn three_states_return_to_collecting() {
    let world = World::new().await;
    for outcome in ["approved", "rejected", "failed", "needs_review"] {
        let id = world.ended("{}", outcome).await;
        let before = world.events().await.len();
        world.server.clock.advance(Millis::days(1));
        let again = world.reprocess(&id).await;
        assert_eq!(
            (again.status, &again.json()["status"]),
            (200, &json!("collecting")),
            "{outcome}"
        );
        assert!(!again.body.contains("verificationUrl"));
        let read = world.read(&id).await;
        assert_eq!(
            read["expiresAt"],
            world.server.app.honnin.now().plus(Millis::days(7)).to_iso()
        );
        assert!(read["outcome"].is_null() && read["completedAt"].is_null());
        assert_eq!(
            world.events().await.len(),
            before,
            "nothing is decided until the user submits again"
        );
        world.end(&id, "rejected").await;
        let events = world.events().await;
        let mut ids: Vec<_> = events
            .iter()
            .map(|event| event.header("webhook-id").to_owned())
            .collect();
        ids.sort_unstable();
        ids.dedup();
        assert_eq!(
            (events.len(), ids.len()),
            (before + 1, before + 1),
            "another event with another id"
        );
    }
}

pub(super) async fn no_other_state_is_reprocessed() {
    let world = World::new().await;
    let refused = async |id: &str, what: &str| {
        let before = world.read(id).await;
        let answer = world.reprocess(id).await;
        assert_eq!(answer.status, 409, "{what}");
        assert_eq!(
            answer.json(),
            json!({"_tag": "ReprocessNotAllowed", "id": id}),
            "{what}"
        );
        assert_eq!(world.read(id).await, before, "{what}");
    };
    let expired = world.ended("{}", "expired").await;
    refused(&expired, "expired").await;
    refused(&expired, "expired, asked twice").await;
    refused(&world.create("{}").await, "created").await;
    let collecting = open(&world).await;
    refused(&collecting, "collecting").await;
    world
        .server
        .change(&collecting, |row| row.session.status = Status::Deciding)
        .await;
    refused(&collecting, "deciding").await;
    world
        .server
        .change(&collecting, |row| row.session.status = Status::Failed)
        .await;
    let late = world.create("{}").await;
    let approved = world.ended("{}", "approved").await;
    world.server.clock.advance(Millis::days(7));
    refused(&late, "past its deadline").await;
    world.wait(Millis::days(90)).await;
    refused(&approved, "erased").await;

    let id = world.ended("{}", "failed").await;
    let path = format!("{SESSIONS}/{id}/reprocess");
    let at_once = futures::future::join_all((0..8).map(|_| world.server.call("POST", &path, ""))).await;
    let statuses: Vec<_> = at_once.iter().map(|answer| answer.status).collect();
    assert_eq!(
        statuses.iter().filter(|status| **status == 200).count(),
        1,
        "{statuses:?}"
    );
    assert_eq!(
        statuses.iter().filter(|status| **status == 409).count(),
        7,
        "{statuses:?}"
    );
}
