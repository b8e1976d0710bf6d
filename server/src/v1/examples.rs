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
