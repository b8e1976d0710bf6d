//! "Why does verification fail?", answered for an integrator who pastes the headers and the body that arrived.

use crate::{
    Honnin,
    access::{Developer, Reader},
    webhook::{delivery_log, payload, sender::signature::SigningSecret, signing_secret},
};
use domain::ids::{EventId, SecretId};
use store::{StoreError, settings::webhook_secrets};

/// Clock tolerance of a receiver, in seconds.
pub const TOLERANCE: i64 = 300;

/// The result for pasted headers and a pasted body.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnosis {
    /// The result for the signature.
    pub verdict: Verdict,
    /// Seconds from `webhook-timestamp` to now, if there is a timestamp.
    pub age_seconds: Option<i64>,
    /// How the body compares with the one that was sent.
    pub body: BodyComparison,
}

/// The result for the signature.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It is valid for these secrets: for both while one is replaced.
    Matches(Vec<SecretId>),
    /// A header that the signature needs is missing.
    MissingHeader(&'static str),
    /// `webhook-timestamp` is not a number.
    BadTimestamp,
    /// `webhook-signature` contains no `v1,..`.
    NoKnownVersion,
    /// A `v1,..` is not base64 of 32 bytes.
    BadSignature,
    /// The tenant has no active secret.
    NoSecret,
    /// It matches no active secret.
    NoMatch,
}

/// How the pasted body compares with the one sent for this event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BodyComparison {
    /// The same bytes.
    Same,
    /// The same JSON, but other bytes: it was re-serialised, or its white space changed.
    SameJson,
    /// The same bytes except for white space around them.
    SameTrimmed,
    /// Different; the first byte that differs.
    Differs(usize),
    /// There is no event with this id to compare with.
    UnknownEvent,
    /// The body contains a reviewer's note that the caller's role may not read: a comparison would reveal it.
    Hidden,
}

/// The three headers of a delivery, as found in pasted text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Pasted {
    id: Option<String>,
    timestamp: Option<String>,
    signature: Option<String>,
}

/// Explains pasted `headers` (one on each line, `name: value`) and `body`.
///
/// # Errors
/// If storage fails.
pub async fn diagnose_signature(
    honnin: &Honnin,
    developer: &Developer,
    headers: &str,
    body: &[u8],
) -> Result<Diagnosis, StoreError> {
    let pasted = read_headers(headers);
    let secrets = valid_secrets(honnin, developer).await?;
    let age_seconds = pasted
        .timestamp
        .as_deref()
        .and_then(|text| text.parse::<i64>().ok())
        .map(|at| honnin.now().as_seconds().saturating_sub(at));
    Ok(Diagnosis {
        verdict: judge(&pasted, &secrets, body),
        age_seconds,
        body: compare(honnin, developer, pasted.id.as_deref(), body).await?,
    })
}

async fn valid_secrets(honnin: &Honnin, developer: &Developer) -> Result<Vec<(SecretId, SigningSecret)>, StoreError> {
    let tenant = developer.staff().tenant().clone();
    let unit = honnin
        .db
        .read(async move |tx| webhook_secrets::list_valid(tx, &tenant).await);
    signing_secret::open(honnin, &unit.await?)
}

/// Accepts what people paste: `name: value` lines, also as curl's `-H 'name: value'` or a log's `"name": "value",`, each of these also in a
/// single line.
fn read_headers(text: &str) -> Pasted {
    let mut pasted = Pasted::default();
    // No name and no value of ours has a quotation mark in it: one ends a value, and a comma before one ends a header.
    let text = [",\"", ", \"", ",'", ", '", " -H "]
        .iter()
        .fold(text.to_owned(), |text, &end| text.replace(end, &format!("\n{end}")));
    let is_wrapping = |c: char| c.is_whitespace() || matches!(c, '"' | '\'' | ',' | '\\' | '>' | '<' | '{' | '}');
    for line in text.lines() {
        let line = line.trim_matches(is_wrapping);
        let line = line.strip_prefix("-H").unwrap_or(line).trim_matches(is_wrapping);
        let Some((name, value)) = line.split_once([':', '=']) else {
            continue;
        };
        let value = value.trim_matches(is_wrapping);
        let value = value.split(['"', '\'']).next().map(str::to_owned);
        match name.trim_matches(is_wrapping).to_ascii_lowercase().as_str() {
            "webhook-id" => pasted.id = value,
            "webhook-timestamp" => pasted.timestamp = value,
            "webhook-signature" => pasted.signature = value,
            _ => {}
        }
    }
    pasted
}

fn judge(pasted: &Pasted, secrets: &[(SecretId, SigningSecret)], body: &[u8]) -> Verdict {
    let Some(id) = pasted.id.as_deref() else {
        return Verdict::MissingHeader("webhook-id");
    };
    let Some(timestamp) = pasted.timestamp.as_deref() else {
        return Verdict::MissingHeader("webhook-timestamp");
    };
    let Some(signature) = pasted.signature.as_deref() else {
        return Verdict::MissingHeader("webhook-signature");
    };
    let Ok(timestamp) = timestamp.parse::<i64>() else {
        return Verdict::BadTimestamp;
    };
    let known: Vec<&str> = signature
        .split_whitespace()
        .filter_map(|part| part.strip_prefix("v1,"))
        .collect();
    if known.is_empty() {
        return Verdict::NoKnownVersion;
    }
    if !known.iter().all(|signature| SigningSecret::is_well_formed(signature)) {
        return Verdict::BadSignature;
    }
    if secrets.is_empty() {
        return Verdict::NoSecret;
    }
    let right = secrets.iter().filter(|(_, secret)| {
        known
            .iter()
            .any(|signature| secret.verifies(signature, id, timestamp, body))
    });
    let right: Vec<_> = right.map(|(id, _)| id.clone()).collect();
    if right.is_empty() {
        Verdict::NoMatch
    } else {
        Verdict::Matches(right)
    }
}

async fn compare(
    honnin: &Honnin,
    developer: &Developer,
    id: Option<&str>,
    body: &[u8],
) -> Result<BodyComparison, StoreError> {
    let Some(id) = id.and_then(EventId::parse) else {
        return Ok(BodyComparison::UnknownEvent);
    };
    let Some(sources) = delivery_log::find_sources(honnin, developer, &id).await? else {
        return Ok(BodyComparison::UnknownEvent);
    };
    if delivery_log::holds_note(&sources.event) && Reader::of(developer.staff()).is_err() {
        return Ok(BodyComparison::Hidden);
    }
    // A comparison says up to which byte a guess is right, and so, guess by guess, what the note says.
    delivery_log::record_note_read(honnin, developer, &sources.event).await?;
    let sent = payload::render(honnin, &sources).await?;
    Ok(compare_bodies(&sent, body))
}

fn compare_bodies(sent: &[u8], pasted: &[u8]) -> BodyComparison {
    if sent == pasted {
        return BodyComparison::Same;
    }
    if sent == pasted.trim_ascii() {
        return BodyComparison::SameTrimmed;
    }
    let json = |bytes: &[u8]| serde_json::from_slice::<serde_json::Value>(bytes).ok();
    if json(pasted).is_some_and(|pasted| json(sent) == Some(pasted)) {
        return BodyComparison::SameJson;
    }
    let same = sent.iter().zip(pasted).take_while(|(a, b)| a == b).count();
    BodyComparison::Differs(same)
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::secret::Secret;

    const ID: &str = "evt_01010101010101010101010101010101";

    fn secret(n: u8) -> (SecretId, SigningSecret) {
        (
            SecretId::from_random([n; 16]),
            SigningSecret::new(Secret::new(vec![n; 32])),
        )
    }

    fn headers(signature: &str) -> String {
        format!("Webhook-Id: {ID}\r\nwebhook-timestamp: 1000\r\nWEBHOOK-SIGNATURE: {signature}\r\n")
    }

    fn verdict(headers: &str, secrets: &[(SecretId, SigningSecret)], body: &[u8]) -> Verdict {
        judge(&read_headers(headers), secrets, body)
    }

    #[test]
    fn the_secret_that_signed_is_named() {
        let (old, new) = (secret(1), secret(2));
        let signature = old.1.sign(ID, 1000, b"{}");
        let both = [new, old.clone()];
        assert_eq!(
            verdict(&headers(&signature), &both, b"{}"),
            Verdict::Matches(vec![old.0.clone()])
        );
        let rotating = format!("v1,{} {signature}", "A".repeat(43) + "=");
        assert_eq!(
            verdict(&headers(&rotating), &both, b"{}"),
            Verdict::Matches(vec![old.0])
        );
    }

    #[test]
    fn both_secrets_are_named_while_one_is_replaced() {
        let both = [secret(1), secret(2)];
        let signatures = both.clone().map(|(_, secret)| secret.sign(ID, 1000, b"{}")).join(" ");
        let named = both.clone().map(|(id, _)| id).to_vec();
        assert_eq!(verdict(&headers(&signatures), &both, b"{}"), Verdict::Matches(named));
    }

    #[test]
    fn what_is_wrong_is_named() {
        let known = [secret(1)];
        let right = known[0].1.sign(ID, 1000, b"{}");
        for (pasted, expected) in [
            (String::new(), Verdict::MissingHeader("webhook-id")),
            (format!("webhook-id: {ID}"), Verdict::MissingHeader("webhook-timestamp")),
            (
                format!("webhook-id: {ID}\nwebhook-timestamp: 1"),
                Verdict::MissingHeader("webhook-signature"),
            ),
            (headers(&right).replace("1000", "noon"), Verdict::BadTimestamp),
            (headers("v2,abc"), Verdict::NoKnownVersion),
            (headers("v1,!!"), Verdict::BadSignature),
            (headers(&right).replace("1000", "1001"), Verdict::NoMatch),
        ] {
            assert_eq!(verdict(&pasted, &known, b"{}"), expected, "{pasted}");
        }
        assert_eq!(verdict(&headers(&right), &known, b"{ }"), Verdict::NoMatch);
        assert_eq!(verdict(&headers(&right), &[], b"{}"), Verdict::NoSecret);
    }

    #[test]
    fn headers_are_read_however_they_were_copied() {
        let expected = Pasted {
            id: Some(ID.into()),
            timestamp: Some("7".into()),
            signature: Some("v1,YQ== v1,Yg==".into()),
        };
        for text in [
            format!("webhook-id: {ID}\nwebhook-timestamp: 7\nwebhook-signature: v1,YQ== v1,Yg=="),
            format!(
                "-H 'webhook-id: {ID}' \\\n  -H 'webhook-timestamp: 7' \\\n  -H 'webhook-signature: v1,YQ== v1,Yg=='"
            ),
            format!(
                "{{\n \"webhook-id\": \"{ID}\",\n \"webhook-timestamp\": \"7\",\n \"webhook-signature\": \"v1,YQ== v1,Yg==\"\n}}"
            ),
            format!(
                r#"{{"host":"a","webhook-id":"{ID}","webhook-timestamp":"7","webhook-signature":"v1,YQ== v1,Yg==","n":1}}"#
            ),
            format!(
                "{{'host': 'a', 'n': 1, 'webhook-id': '{ID}', 'webhook-timestamp': '7', 'webhook-signature': 'v1,YQ== v1,Yg=='}}"
            ),
            format!(
                "{{ host: 'a', 'webhook-id': '{ID}', accept: '*/*', 'webhook-timestamp': '7', 'webhook-signature': 'v1,YQ== v1,Yg==' }}"
            ),
            format!(
                "curl -H 'webhook-id: {ID}' -H 'webhook-timestamp: 7' -H 'webhook-signature: v1,YQ== v1,Yg==' -d '{{}}'"
            ),
        ] {
            assert_eq!(read_headers(&text), expected, "{text}");
        }
    }

    #[test]
    fn a_body_written_again_is_told_from_another_one() {
        let sent = br#"{"a":1,"b":[2]}"#;
        for (pasted, expected) in [
            (&br#"{"a":1,"b":[2]}"#[..], BodyComparison::Same),
            (b"{\"a\":1,\"b\":[2]}\n", BodyComparison::SameTrimmed),
            (br#"{ "b": [2], "a": 1 }"#, BodyComparison::SameJson),
            (br#"{"a":1,"b":[3]}"#, BodyComparison::Differs(12)),
            (b"", BodyComparison::Differs(0)),
        ] {
            assert_eq!(
                compare_bodies(sent, pasted),
                expected,
                "{}",
                String::from_utf8_lossy(pasted)
            );
        }
    }
}
