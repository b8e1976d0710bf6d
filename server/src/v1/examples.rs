//! Examples of the larger bodies, for the description. They follow one session of a fictional person.

use serde_json::{Value, json};

const SESSION: &str = "vs_0123456789abcdef0123456789abcdef";

/// A session just created.
pub(super) fn created() -> Value {
    json!({
        "id": SESSION,
        "status": "created",
        "verificationUrl": "https://verify.example.com/v/Zm9yLWRvY3VtZW50YXRpb24tb25seS1ub3QtYS1rZXk",
        "verificationUrlExpiresAt": "2026-08-04T09:30:00.000Z",
        "expiresAt": "2026-08-09T09:30:00.000Z",
        "createdAt": "2026-08-02T09:30:00.000Z",
    })
}

/// The same session once it is approved.
pub(super) fn read() -> Value {
    let field = |name: &str, text: &str, normalized: &str| json!({"side": "front", "name": name, "text": text, "normalized": normalized});
    json!({
        "id": SESSION,
        "status": "completed",
        "plan": {"steps": ["document", "selfie"]},
        "expiresAt": "2026-08-09T09:30:00.000Z",
        "createdAt": "2026-08-02T09:30:00.000Z",
        "metadata": {"order": 4711},
        "completedAt": "2026-08-02T09:36:12.345Z",
        "purgedAt": null,
        "preRegisteredInfo": {"birthDate": "1964-08-12", "lastName": "Mustermann", "firstName": "Erika"},
        "userInputInfo": {
            "lastName": "Mustermann",
            "firstName": "Erika",
            "lastNameKana": null,
            "firstNameKana": null,
            "birthDate": "1964-08-12",
            "address": "Heidestraße 17, 51147 Köln",
        },
        "documentOcr": {
            "documentType": "passport",
            "fields": [
                field("lastName", "MUSTERMANN", "MUSTERMANN"),
                field("firstName", "ERIKA", "ERIKA"),
                field("birthDate", "12.08.1964", "1964-08-12"),
                field("gender", "F", "female"),
                field("expiryDate", "31.10.2030", "2030-10-31"),
            ],
        },
        "outcome": {
            "session": {"sessionId": SESSION, "tenantId": "tn_fedcba9876543210fedcba9876543210"},
            "verdict": "approved",
            "decidedAt": "2026-08-02T09:36:12.345Z",
            "source": "automatic",
            "review": null,
            "checks": {
                "document": {"performed": true, "documentType": "passport", "authenticity": "authentic"},
                "selfie": {"performed": true, "livenessConfidence": 0.82, "faceMatchConfidence": 0.97},
                "inputMatch": {
                    "performed": true,
                    "matched": true,
                    "fields": {"birthDate": true, "firstName": true, "lastName": true},
                },
            },
            "reasons": [],
        },
    })
}

/// A page of sessions.
pub(super) fn sessions() -> Value {
    let read = read();
    json!({
        "sessions": [{
            "id": SESSION,
            "status": "completed",
            "verdict": "approved",
            "expiresAt": read["expiresAt"],
            "createdAt": read["createdAt"],
            "completedAt": read["completedAt"],
            "purgedAt": null,
            "metadata": read["metadata"],
        }],
        "nextCursor": format!("1785663000000.{SESSION}"),
    })
}

fn event(kind: &str, data: &Value) -> Value {
    json!({
        "id": "evt_00112233445566778899aabbccddeeff",
        "type": kind,
        "apiVersion": "2026-08-02",
        "createdAt": "2026-08-02T09:36:12.345Z",
        "metadata": {"order": 4711},
        "data": data,
    })
}

fn session() -> Value {
    read()["outcome"]["session"].clone()
}

/// An event about a decision.
pub(super) fn decision_event() -> Value {
    event("verification.approved", &read()["outcome"])
}

/// An event about a deadline.
pub(super) fn expired_event() -> Value {
    let data = json!({"session": session(), "expiredAt": "2026-08-09T09:30:00.000Z"});
    let mut event = event("verification.expired", &data);
    // The event follows the deadline.
    event["createdAt"] = json!("2026-08-09T09:30:01.234Z");
    event
}

/// An event about a failure.
pub(super) fn failed_event() -> Value {
    event(
        "verification.failed",
        &json!({"session": session(), "reason": "consent_declined"}),
    )
}

/// A test of the receiver.
pub(super) fn test_event() -> Value {
    let mut event = event("webhook.test", &json!({"tenantId": session()["tenantId"]}));
    event["metadata"] = Value::Null;
    event
}

/// A page of events.
pub(super) fn events() -> Value {
    json!({"events": [decision_event()], "nextCursor": null})
}

/// The same session reprocessed, a day later.
pub(super) fn reprocessed() -> Value {
    json!({
        "id": SESSION,
        "status": "collecting",
        "plan": {"steps": ["document", "selfie"]},
        "expiresAt": "2026-08-10T11:05:00.000Z",
        "createdAt": "2026-08-02T09:30:00.000Z",
        "metadata": {"order": 4711},
    })
}
