//! The receiver, in place of the network: in an outage or not according to the seed; it records what it gets.

#![expect(unreachable_pub, reason = "a module of one test binary")]

use super::below;
use async_trait::async_trait;
use domain::{
    delivery::DeliveryFault,
    ids::{EventId, SecretId},
    time::{ManualClock, Millis, Timestamp},
};
use service::{
    runtime::random::{Random, SeededRandom},
    webhook::sender::{fault::Answer, receiver_url::ReceiverUrl, signature::SignedRequest, wire::Wire},
};
use std::{
    collections::HashSet,
    net::SocketAddr,
    ops::Range,
    sync::{Arc, Mutex},
};
use testkit::START;

/// A request as the receiver saw it, and the state of the system at that moment.
#[derive(Clone)]
pub struct Sent {
    pub at: Timestamp,
    pub id: EventId,
    pub timestamp: i64,
    pub signature: String,
    pub body: serde_json::Value,
    pub bytes: Vec<u8>,
    pub answer: Answer,
    /// The active secrets.
    pub secrets: Vec<String>,
    /// Whether the event's session had been erased.
    pub erased: bool,
    /// How far the clock had been set forward, and how often it had been set.
    pub forward: i64,
    pub jumps: usize,
    /// How long the exchange took, and all exchanges before it in total.
    pub took: i64,
    pub spent: i64,
}

/// The receiver: in an outage or not according to the seed. The system's clock advances while it answers.
pub struct Receiver(pub Mutex<State>, pub Arc<ManualClock>);

#[derive(Default)]
pub struct State {
    pub random: Option<SeededRandom>,
    pub away: Vec<Range<i64>>,
    pub sent: Vec<Sent>,
    pub secrets: Vec<(SecretId, String)>,
    pub erased: HashSet<String>,
    /// How far the clock is from the true time, and why.
    pub offset: i64,
    pub forward: i64,
    pub jumps: usize,
    /// How long all exchanges took in total.
    pub spent: i64,
}

/// How long an exchange with this result takes: some receivers are slow, and a time-out has its duration.
pub fn length(answer: &Answer, random: &dyn Random) -> Millis {
    match answer.fault {
        Some(DeliveryFault::TimedOut) => Millis::seconds(15),
        Some(DeliveryFault::ConnectTimeout) => Millis::seconds(5),
        _ => Millis(below(random, 3) * below(random, 7_000)),
    }
}

impl State {
    fn answer(&self, now: Timestamp) -> Answer {
        let random = self.random.as_ref().unwrap();
        let truly = now.as_millis() - START.as_millis() - self.offset;
        if !self.away.iter().any(|outage| outage.contains(&truly)) {
            let status = [200, 200, 200, 200, 200, 202, 204, 500][below(random, 8) as usize];
            return Answer::of_status(status, None);
        }
        let wish = Some(Millis(below(random, Millis::hours(60).0)));
        match below(random, 12) {
            0 => Answer::failed(DeliveryFault::Unresolved),
            1 => Answer::failed(DeliveryFault::ConnectTimeout),
            2 => Answer::failed(DeliveryFault::TimedOut),
            3 => Answer::failed(DeliveryFault::Tls),
            4 => Answer::failed(DeliveryFault::Closed),
            5 => Answer::of_status(302, None),
            6 => Answer::of_status(429, wish),
            7 => Answer::of_status(503, wish),
            8 => Answer::of_status(500, wish),
            _ => Answer::failed(DeliveryFault::ConnectFailed),
        }
    }
}

#[async_trait]
impl Wire for Receiver {
    async fn find(&self, _: &ReceiverUrl) -> Result<Vec<SocketAddr>, DeliveryFault> {
        Ok(Vec::new())
    }

    async fn send(&self, _: &ReceiverUrl, request: &SignedRequest, now: Timestamp) -> Answer {
        let mut state = self.0.lock().unwrap();
        let answer = state.answer(now);
        let took = length(&answer, state.random.as_ref().unwrap());
        self.1.advance(took);
        let body: serde_json::Value = serde_json::from_slice(&request.body).unwrap();
        let session = body["data"]["session"]["sessionId"].as_str().unwrap();
        let sent = Sent {
            at: now,
            id: request.id.clone(),
            timestamp: request.timestamp,
            signature: request.signature.clone(),
            bytes: request.body.clone(),
            answer,
            secrets: state.secrets.iter().map(|(_, text)| text.clone()).collect(),
            erased: state.erased.contains(session),
            forward: state.forward,
            jumps: state.jumps,
            took: took.0,
            spent: state.spent,
            body,
        };
        state.spent += took.0;
        state.sent.push(sent);
        answer
    }
}
