//! The debugger: explains in sentences what was pasted.

mod view;

use super::receiver_status;
use crate::{
    console::{
        layout::NavigationItem,
        parts::Tone,
        request::{PageResult, Request, signed_in},
    },
    page::{Fields, Outcome, form},
};
use axum::{Router, routing::post};
use http::StatusCode;
use leptos::prelude::*;
use service::{
    access::Developer,
    webhook::diagnose::{BodyComparison, Diagnosis, TOLERANCE, Verdict, diagnose_signature},
};
use view::{CheckView, Finding, render};

const HERE: &str = "/admin/webhooks/check";

/// The debugger.
#[component]
pub fn CheckPage() -> impl IntoView {
    signed_in(NavigationItem::Webhooks, load, render)
}

/// Its form.
pub(super) fn forms() -> Router {
    Router::new().route("/admin/webhooks/check", post(form(HERE, explain)))
}

async fn load(request: Request) -> PageResult<CheckView> {
    let developer = Developer::of(request.staff())?;
    Ok(CheckView {
        receiver_status: receiver_status(&request, &developer).await?,
        headers: String::new(),
        body: String::new(),
        findings: Vec::new(),
    })
}

async fn explain(request: Request, fields: Fields) -> PageResult<Outcome> {
    let developer = Developer::of(request.staff())?;
    let headers = fields.raw("headers").to_owned();
    // Browsers send the lines of a text area with CR LF; our bodies contain no line breaks at all.
    let body = fields.raw("body").replace("\r\n", "\n");
    let explained = diagnose_signature(request.honnin(), &developer, &headers, body.as_bytes()).await?;
    let view = CheckView {
        receiver_status: receiver_status(&request, &developer).await?,
        findings: findings(&explained),
        headers,
        body,
    };
    Ok(Outcome::shown(StatusCode::OK, view))
}

fn findings(explained: &Diagnosis) -> Vec<Finding> {
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
            format!("The signature matches secret {id}. If your receiver refuses it, it uses a different secret or changes the body before verifying."),
        ),
        Verdict::MissingHeader(name) => {
            (Tone::Bad, "missing", format!("There is no {name} header. A proxy in front of your receiver may drop it."))
        }
        Verdict::BadTimestamp => (Tone::Bad, "unreadable", "webhook-timestamp is not a number of seconds.".to_owned()),
        Verdict::NoKnownVersion => {
            (Tone::Bad, "unreadable", "webhook-signature contains no value that starts with \"v1,\".".to_owned())
        }
        Verdict::BadSignature => {
            (Tone::Bad, "unreadable", "webhook-signature is incomplete: a v1 signature is 44 characters of base64.".to_owned())
        }
        Verdict::NoSecret => (Tone::Bad, "no secret", "There is no active signing secret to compare with.".to_owned()),
        Verdict::NoMatch => (
            Tone::Bad,
            "wrong",
            "The signature matches none of the active secrets. The id, the timestamp or the body was changed, or it was signed with a disabled secret.".to_owned(),
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
            format!("The timestamp is {} s ahead of our clock.", -age),
        ),
        age if age > TOLERANCE => (
            Tone::Warn,
            "old",
            format!(
                "It was sent {age} s ago by our clock. A receiver that checks the time accepts {TOLERANCE} seconds; if it was refused immediately, its clock is wrong or the webhook was delayed in transit: compare the time at which it arrived with webhook-timestamp."
            ),
        ),
        age => (
            Tone::Good,
            "fresh",
            format!(
                "It was sent {} s ago by our clock, within {TOLERANCE} s. If your receiver reports it as too old or too new, the receiver's clock is wrong.",
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

fn body(explained: &Diagnosis) -> Option<Finding> {
    let (tone, word, sentence) = match explained.body {
        BodyComparison::Same => (Tone::Good, "same", "The body matches the bytes sent for this event.".to_owned()),
        BodyComparison::SameTrimmed => {
            (Tone::Warn, "spaces", "White space was added around the body, perhaps by pasting. The signature covers the exact bytes.".to_owned())
        }
        BodyComparison::SameJson => (
            Tone::Bad,
            "rewritten",
            "The JSON is the same but the bytes differ: something parsed and re-serialised it. Verify the raw body, before any JSON parser.".to_owned(),
        ),
        BodyComparison::Differs(at) => (
            Tone::Bad,
            "different",
            format!("The body differs from the one sent for this event, from byte {at} on. After personal data is erased, metadata and note are null."),
        ),
        BodyComparison::Hidden => (
            Tone::Plain,
            "not compared",
            "This event contains a reviewer's note that your role may not read, so the body was not compared.".to_owned(),
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
