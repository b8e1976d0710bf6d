//! What must hold in every simulation, whatever the seed.

#![expect(unreachable_pub, reason = "a module of one test binary")]

use super::{
    receiver::Sent,
    world::{EventResult, METADATA, NOTE, Story},
};
use base64::{Engine as _, engine::general_purpose::STANDARD as BASE64};
use domain::{delivery::DeliveryFault, named::Named, secret::Secret, time::Millis};
use service::webhook::{schedule::WAITS, sender::signature::SigningSecret};
use std::collections::HashSet;
use store::webhook::deliveries::DeliveryState;

/// How often each judged case has occurred: a rule that never applies proves nothing.
#[derive(Debug, Default)]
pub struct Tally {
    sent: usize,
    delivered: usize,
    abandoned: usize,
    with_two_signatures: usize,
    after_erasure: usize,
    after_jumps: usize,
    wishes: usize,
}

impl Tally {
    pub fn plus(self, other: Self) -> Self {
        Self {
            sent: self.sent + other.sent,
            delivered: self.delivered + other.delivered,
            abandoned: self.abandoned + other.abandoned,
            with_two_signatures: self.with_two_signatures + other.with_two_signatures,
            after_erasure: self.after_erasure + other.after_erasure,
            after_jumps: self.after_jumps + other.after_jumps,
            wishes: self.wishes + other.wishes,
        }
    }

    /// Every case occurs within a few hundred seeds; a single seed is for replaying.
    pub fn has_seen_everything(&self, seeds: usize) {
        let rarest = [
            self.delivered,
            self.abandoned,
            self.with_two_signatures,
            self.after_erasure,
            self.after_jumps,
            self.wishes,
        ];
        assert!(seeds < 500 || rarest.iter().all(|&count| count > 0), "{self:?}");
    }
}

pub fn judge(seed: u64, story: &Story) -> Tally {
    let mut tally = Tally::default();
    let ids: HashSet<&str> = story.results.iter().map(|result| result.event.id.as_str()).collect();
    assert_eq!(
        ids.len(),
        story.sessions + story.reviewed,
        "seed {seed}: one event for each expiry and each ruling"
    );
    assert!(
        story.sent.iter().all(|sent| ids.contains(sent.id.as_str())),
        "seed {seed}: an event nobody recorded"
    );
    for result in &story.results {
        let sent: Vec<_> = story.sent.iter().filter(|sent| sent.id == result.event.id).collect();
        let case = format!("seed {seed}, {}", result.event.id);
        the_end_is_as_the_answers_were(&case, result, &sent);
        every_wait_is_the_schedules(&case, &sent, &mut tally);
        for (at, one) in sent.iter().enumerate() {
            the_request_is_fresh(&case, one);
            let may_have_arrived = |one: &&Sent| !one.answer.fault.is_some_and(DeliveryFault::sent_nothing);
            let is_first = !sent[..at].iter().any(may_have_arrived);
            nothing_erased_is_sent_again(&case, result, one, is_first);
            tally.with_two_signatures += usize::from(one.secrets.len() == 2);
            tally.after_erasure += usize::from(one.erased);
        }
        tally.sent += sent.len();
        match result.delivery.state {
            DeliveryState::Delivered => tally.delivered += 1,
            _ => tally.abandoned += 1,
        }
    }
    tally
}

fn the_end_is_as_the_answers_were(case: &str, result: &EventResult, sent: &[&Sent]) {
    let Some((last, before)) = sent.split_last() else {
        panic!("{case}: never sent")
    };
    assert!(
        before.iter().all(|one| one.answer.fault.is_some()),
        "{case}: sent again after its delivery"
    );
    let is_delivered = last.answer.fault.is_none();
    let expected = if is_delivered {
        DeliveryState::Delivered
    } else {
        DeliveryState::Abandoned
    };
    assert_eq!(result.delivery.state, expected, "{case}");
    assert!(sent.len() <= 10, "{case}: {} attempts", sent.len());
    if !is_delivered {
        assert_eq!(sent.len(), 10, "{case}: abandoned early");
        let hours = (last.at.as_millis() - sent[0].at.as_millis()) / Millis::hours(1).0;
        assert!(hours >= 71, "{case}: abandoned after {hours} hours");
    }
    // The console shows what the receiver saw.
    let shown: Vec<_> = result
        .attempts
        .iter()
        .map(|row| (row.number, row.attempted_at, row.status, row.fault.clone()))
        .collect();
    let seen: Vec<_> = (1..)
        .zip(sent)
        .map(|(number, one)| (number, one.at, one.answer.status, one.answer.fault.map(Named::Known)))
        .collect();
    assert_eq!(shown, seen, "{case}");
}

fn every_wait_is_the_schedules(case: &str, sent: &[&Sent], tally: &mut Tally) {
    for (pair, nominal) in sent.windows(2).zip(&WAITS[1..]) {
        let (one, next) = (pair[0], pair[1]);
        let wait = next.at.as_millis() - one.at.as_millis() - one.took;
        let (least, most) = match one.answer.retry_after {
            None => (nominal.0 * 8 / 10, nominal.0 * 12 / 10),
            Some(wish) => {
                tally.wishes += 1;
                let honoured = wish.0.clamp(nominal.0, nominal.0 * 2);
                (honoured, honoured)
            }
        };
        // If the clock is set forward, the wait is over immediately; it is never shortened otherwise.
        let leapt = next.forward - one.forward;
        // One attempt at a time is made here: what becomes due during another one comes after it.
        let busy = next.spent - one.spent - one.took;
        tally.after_jumps += usize::from(next.jumps > one.jumps);
        assert!(
            (least..=most + leapt + busy).contains(&wait),
            "{case}: waited {wait}, not {least} to {most}"
        );
    }
}

fn the_request_is_fresh(case: &str, one: &Sent) {
    assert_eq!(one.timestamp, one.at.as_seconds(), "{case}: signed with an old time");
    let signatures: Vec<_> = one
        .signature
        .split(' ')
        .map(|signature| signature.strip_prefix("v1,").unwrap())
        .collect();
    assert_eq!(
        signatures.len(),
        one.secrets.len(),
        "{case}: one signature for each valid secret"
    );
    for text in &one.secrets {
        let bytes = BASE64.decode(text.strip_prefix("whsec_").unwrap()).unwrap();
        let secret = SigningSecret::new(Secret::new(bytes));
        let verifies = |signature: &&str| secret.verifies(signature, one.id.as_str(), one.timestamp, &one.bytes);
        assert_eq!(
            signatures.iter().filter(|signature| verifies(signature)).count(),
            1,
            "{case}: a valid secret does not verify"
        );
    }
    assert_eq!(one.body["id"], one.id.as_str(), "{case}: the id in the body is another");
}

/// The note is never sent after the erasure, and the metadata only the first time.
fn nothing_erased_is_sent_again(case: &str, result: &EventResult, one: &Sent, is_first: bool) {
    let shown = |value: &str, is_shown: bool| if is_shown { value.to_owned() } else { "null".to_owned() };
    let metadata = shown(METADATA, !one.erased || is_first);
    assert!(
        String::from_utf8_lossy(&one.bytes).contains(&format!(r#""metadata":{metadata}"#)),
        "{case}: metadata"
    );
    if result.event.content.kind().as_str() == "verification.approved" {
        let note = shown(&format!("{NOTE:?}"), !one.erased);
        assert_eq!(one.body["data"]["review"]["note"].to_string(), note, "{case}: the note");
    }
}
