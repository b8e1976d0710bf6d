//! The debugger: what was pasted, explained in sentences.

use super::standing;
use crate::console::{
    form::Fields,
    wall::{Answer, Desk, ok},
};
use app::console::{
    Place, Tone,
    webhooks::check::{self, CheckView, Finding},
};
use service::{
    access::Developer,
    explain_signature::{BodyComparison, Explanation, TOLERANCE, Verdict, explain_signature},
};

pub(in crate::console) async fn page(desk: Desk) -> Answer {
    let developer = Developer::of(&desk.staff)?;
    let standing = standing(&desk, &developer).await?;
    let frame = desk.frame(Place::Webhooks).await?;
    ok(check::render(&CheckView::default(), &standing, &frame, &desk.meta()))
}

pub(in crate::console) async fn explain(desk: Desk, fields: Fields) -> Answer {
    let developer = Developer::of(&desk.staff)?;
    let headers = fields.raw("headers").to_owned();
    // A browser sends the lines of a text area with CR LF; our bodies hold no line ends at all.
    let body = fields.raw("body").replace("\r\n", "\n");
    let explained = explain_signature(&desk.app.honnin, &developer, &headers, body.as_bytes()).await?;
    let view = CheckView {
        findings: findings(&explained),
        headers,
        body,
    };
    let standing = standing(&desk, &developer).await?;
    let frame = desk.frame(Place::Webhooks).await?;
    ok(check::render(&view, &standing, &frame, &desk.meta()))
}

fn findings(explained: &Explanation) -> Vec<Finding> {
    [
        Some(signature(&explained.verdict)),
        clock(explained.age_seconds),
        body(explained),
    ]
    .into_iter()
    .flatten()
    .collect()
}

fn signature(verdict: &Verdict) -> Finding {
    let (tone, word, sentence) = match verdict {
        Verdict::Matches(id) => (
            Tone::Good,
            "right",
            format!("It is the signature of {id}. If your receiver refuses it, the receiver has another secret or changes the body before it verifies."),
        ),
        Verdict::MissingHeader(name) => {
            (Tone::Bad, "missing", format!("There is no {name} header. A proxy in front of your receiver may drop it."))
        }
        Verdict::BadTimestamp => (Tone::Bad, "unreadable", "webhook-timestamp is not a number of seconds.".to_owned()),
        Verdict::NoKnownVersion => {
            (Tone::Bad, "unreadable", "webhook-signature holds nothing that begins with v1, and a comma.".to_owned())
        }
        Verdict::BadSignature => {
            (Tone::Bad, "unreadable", "webhook-signature is not complete: a v1 signature is 44 characters of base64.".to_owned())
        }
        Verdict::NoSecret => (Tone::Bad, "no secret", "There is no valid signing secret to compare with.".to_owned()),
        Verdict::NoMatch => (
            Tone::Bad,
            "wrong",
            "It fits none of the secrets that are valid now: the id, the time or the body is not what was signed, or it was signed with a secret that is disabled.".to_owned(),
        ),
    };
    Finding {
        about: "Signature",
        tone,
        word,
        sentence,
    }
}

fn clock(age: Option<i64>) -> Option<Finding> {
    let age = age?;
    let (tone, word, sentence) = match age {
        age if age < -TOLERANCE => (
            Tone::Bad,
            "future",
            format!("The webhook is dated {} s ahead of our clock.", -age),
        ),
        age if age > TOLERANCE => (
            Tone::Warn,
            "old",
            format!(
                "It was sent {age} s ago by our clock. A receiver that checks the time accepts {TOLERANCE} seconds; if it was refused at once, its clock is off or the webhook was held up on its way: compare the time at which it arrived there with webhook-timestamp."
            ),
        ),
        age => (
            Tone::Good,
            "fresh",
            format!(
                "It was sent {} s ago by our clock, within {TOLERANCE} s. If your receiver finds it too old or too new, its own clock is off.",
                age.max(0)
            ),
        ),
    };
    Some(Finding {
        about: "Time",
        tone,
        word,
        sentence,
    })
}

fn body(explained: &Explanation) -> Option<Finding> {
    let (tone, word, sentence) = match explained.body {
        BodyComparison::Same => (Tone::Good, "same", "These are the bytes that are sent for this event.".to_owned()),
        BodyComparison::SameTrimmed => {
            (Tone::Warn, "spaces", "White space was added around the body, perhaps by pasting. Verification is over the exact bytes.".to_owned())
        }
        BodyComparison::SameJson => (
            Tone::Bad,
            "rewritten",
            "It is the same JSON in other bytes: something parsed it and wrote it again. Verify the raw body, before any JSON parser.".to_owned(),
        ),
        BodyComparison::Differs(at) => (
            Tone::Bad,
            "different",
            format!("It differs from what is sent for this event, from byte {at} on. After an erasure of personal data metadata and note are null."),
        ),
        BodyComparison::Hidden => (
            Tone::Plain,
            "not compared",
            "What is sent for this event holds a reviewer's note, which your role does not show, so the body is not compared with it.".to_owned(),
        ),
        BodyComparison::UnknownEvent => {
            return match explained.verdict {
                Verdict::MissingHeader("webhook-id") => None,
                _ => Some(Finding {
                    about: "Body",
                    tone: Tone::Warn,
                    word: "unknown",
                    sentence: "There is no event with this webhook-id, so the body cannot be compared.".to_owned(),
                }),
            };
        }
    };
    Some(Finding {
        about: "Body",
        tone,
        word,
        sentence,
    })
}
