//! Random walks over the session never leave the contract's table of transitions.

use super::*;
use proptest::prelude::*;

#[derive(Clone, Copy, Debug)]
enum Move {
    Start,
    Submit,
    Decide(Verdict),
    Rule,
    Fail,
    Abandon,
    Expire,
    ExpireEarly,
    BringDeadlineForward,
    Reprocess,
    RequestErasure,
    Erase,
    Wait(i64),
}

fn any_move() -> impl Strategy<Value = Move> {
    prop_oneof![
        Just(Move::Start),
        Just(Move::Submit),
        prop::sample::select(Verdict::ALL).prop_map(Move::Decide),
        Just(Move::Rule),
        Just(Move::Fail),
        Just(Move::Abandon),
        Just(Move::Expire),
        Just(Move::ExpireEarly),
        Just(Move::BringDeadlineForward),
        Just(Move::Reprocess),
        Just(Move::RequestErasure),
        Just(Move::Erase),
        (0..Millis::days(9).0).prop_map(Move::Wait),
    ]
}

/// The contract's table with the additional transitions, written a second time.
fn allowed(from: Status, to: Status) -> bool {
    use Status::{Collecting, Completed, Created, Deciding, Expired, Failed, Reviewing};
    from == to
        || matches!(
            (from, to),
            (Created, Collecting | Expired | Failed)
                | (Collecting, Deciding | Expired | Failed)
                | (Deciding, Completed | Reviewing | Failed)
                | (Reviewing, Completed | Collecting | Failed)
                | (Completed | Failed, Collecting)
        )
}

fn new_session() -> Session {
    Session::new(
        SessionId::from_random([1; 16]),
        TenantId::from_random([2; 16]),
        Plan {
            steps: vec![Step::Document, Step::Selfie],
        },
        Timestamp::from_millis(0),
        Millis::days(7),
    )
}

fn apply(session: &Session, step: Move, now: Timestamp) -> Option<Session> {
    match step {
        Move::Start => session.start(now).ok(),
        Move::Submit => session.submit(now).ok(),
        Move::Decide(verdict) => session.decide(verdict, now).ok(),
        Move::Rule => session.rule(now).ok(),
        Move::Fail => session.fail(now).ok(),
        Move::Abandon => session.abandon(now).ok(),
        Move::Expire => session.expire(now),
        Move::ExpireEarly => session.expire_early(now).ok(),
        Move::BringDeadlineForward => session.bring_deadline_forward(now).ok(),
        Move::Reprocess => session.reprocess(now, Millis::days(7)).ok(),
        Move::RequestErasure => Some(Session {
            erasure_requested_at: Some(now),
            ..session.clone()
        }),
        Move::Erase => Some(Session {
            purged_at: Some(now),
            ..session.clone()
        }),
        Move::Wait(_) => None,
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(5_000))]

    /// Planted faults that this test detected: `reprocess` accepting `expired`; `expire` ignoring the deadline.
    #[test]
    fn random_walks_stay_in_the_table(moves in prop::collection::vec(any_move(), 1..40)) {
        let (mut session, mut now) = (new_session(), Timestamp::from_millis(0));
        for step in moves {
            if let Move::Wait(span) = step { now = now.plus(Millis(span)); }
            let seen = session.status_at(now);
            let Some(next) = apply(&session, step, now) else { continue };
            prop_assert!(allowed(seen, next.status_at(now)), "{seen} -> {} by {step:?}", next.status_at(now));
            prop_assert_eq!(next.completed_at.is_some(), next.status == Status::Completed);
            let begun = matches!(step, Move::Reprocess);
            prop_assert_eq!(next.attempt.get() - session.attempt.get(), i64::from(begun));
            prop_assert!(next.status != Status::Expired || now >= next.expires_at);
            let ends = session.purged_at.or(session.erasure_requested_at);
            if ends.is_some() { prop_assert!(!matches!(step, Move::Reprocess)); }
            session = next;
        }
    }

    #[test]
    fn nothing_but_created_and_collecting_ends_by_time(span in 0..Millis::days(4000).0) {
        for status in Status::ALL {
            let session = Session { status: *status, ..new_session() };
            let now = Timestamp::from_millis(span);
            let expired = session.status_at(now) == Status::Expired;
            let ends = matches!(status, Status::Created | Status::Collecting) && now >= session.expires_at;
            prop_assert_eq!(expired, ends || *status == Status::Expired);
            prop_assert_eq!(session.expire(now).is_some(), ends);
        }
    }
}

/// A session that refused everything would stay in the table, too.
#[test]
fn every_transition_of_the_table_can_be_taken() {
    let moves = [
        Move::Start,
        Move::Submit,
        Move::Decide(Verdict::Approved),
        Move::Decide(Verdict::NeedsReview),
        Move::Rule,
        Move::Fail,
        Move::Abandon,
        Move::Expire,
        Move::Reprocess,
    ];
    for from in Status::ALL {
        let session = Session {
            status: *from,
            ..new_session()
        };
        for to in Status::ALL.iter().filter(|to| *to != from && allowed(*from, **to)) {
            let now = [session.created_at, session.expires_at];
            let taken = |step: &Move| now.map(|now| apply(&session, *step, now));
            let is_reached = moves.iter().flat_map(taken).flatten().any(|next| next.status == *to);
            assert!(is_reached, "{from} -> {to}");
        }
    }
}

#[test]
fn expired_session_refuses_reprocess() {
    let session = new_session();
    let late = session.expires_at;
    assert_eq!(
        session.reprocess(late, Millis::days(7)),
        Err(Refused::Status(Status::Expired))
    );
}
