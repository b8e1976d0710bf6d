//! Prints webhooks of random bodies, each signed with two random secrets as during a rotation: one JSON object a line. The official
//! libraries of other languages judge them; see `scripts/judge-webhooks`.

#![expect(clippy::print_stdout, reason = "its output is what it is for")]

use domain::{ids::EventId, secret::Secret, time::Clock};
use service::{
    runtime::{
        clock::SystemClock,
        random::{Random, SystemRandom},
    },
    webhook::sender::signature::{SignedRequest, SigningSecret},
};

fn bytes<const N: usize>() -> [u8; N] {
    let mut bytes = [0; N];
    SystemRandom.fill(&mut bytes);
    bytes
}

/// A JSON body with text of every length up to 400 bytes and characters of every plane.
fn body(id: &EventId) -> Vec<u8> {
    let noise = bytes::<400>();
    let length = usize::from(u16::from_le_bytes(bytes())) % noise.len();
    let text: String = noise[..length]
        .chunks(3)
        .filter_map(|three| {
            char::from_u32(
                three
                    .iter()
                    .fold(0, |code, byte| (code << 7) | (u32::from(*byte) % 136)),
            )
        })
        .collect();
    serde_json::json!({"id": id, "type": "verification.approved", "metadata": {"text": text}})
        .to_string()
        .into_bytes()
}

fn main() {
    let count = std::env::args()
        .nth(1)
        .and_then(|count| count.parse().ok())
        .unwrap_or(10_000);
    for _ in 0..count {
        let secrets = [(); 2].map(|()| SigningSecret::new(Secret::new(bytes::<32>().to_vec())));
        let id = EventId::from_random(bytes());
        let request = SignedRequest::new(id.clone(), SystemClock.now(), body(&id), &secrets);
        let sample = serde_json::json!({
            "secrets": secrets.iter().map(|secret| secret.to_text().expose().clone()).collect::<Vec<_>>(),
            "headers": service::webhook::sender::headers(&request).into_iter().collect::<std::collections::BTreeMap<_, _>>(),
            "body": String::from_utf8_lossy(&request.body),
        });
        println!("{sample}");
    }
}
