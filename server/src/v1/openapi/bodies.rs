//! Schemas of requests and responses, for the description.

#![expect(dead_code, reason = "only their shapes are used")]

use super::examples;
use serde::Serialize;
use std::collections::BTreeMap;
use utoipa::ToSchema;

/// Progress of a session. The decision is separate, in `outcome.verdict`.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(in crate::v1) enum SessionStatus {
    Created,
    Collecting,
    Deciding,
    Reviewing,
    Completed,
    Expired,
    Failed,
}

/// A session to be created. Unknown fields are ignored; explicit nulls and duplicate keys are refused.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(example = json!({
    "callbackUrl": "https://shop.example/verified",
    "state": "af0ifjsldkj",
    "metadata": {"order": 4711},
    "preRegisteredInfo": {"lastName": "Mustermann", "firstName": "Erika", "birthDate": "1964-08-12"}
}))]
pub(in crate::v1) struct NewSession {
    /// Where the user is sent back to: an `https` URL of the tenant's allow-list, without query and fragment. `sessionId` and
    /// `state` are appended on return. At most 8000 bytes with `state` appended.
    #[schema(nullable = false, format = "uri")]
    callback_url: Option<String>,
    /// Echoed unchanged on the return URL.
    #[schema(nullable = false)]
    state: Option<String>,
    /// At most 8192 bytes as compact JSON. Returned as given. No personal data.
    #[schema(nullable = false, value_type = Option<Object>)]
    metadata: Option<()>,
    #[schema(nullable = false)]
    pre_registered_info: Option<PreRegisteredInfo>,
}

/// What is known about the person, to be compared with the document and with what the user types. At least one field.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(min_properties = 1)]
pub(in crate::v1) struct PreRegisteredInfo {
    #[schema(nullable = false, pattern = r"^\d{4}-\d{2}-\d{2}$")]
    birth_date: Option<String>,
    #[schema(nullable = false, min_length = 1, max_length = 128)]
    last_name: Option<String>,
    #[schema(nullable = false, min_length = 1, max_length = 128)]
    first_name: Option<String>,
    #[schema(nullable = false, min_length = 1, max_length = 512)]
    address: Option<String>,
    #[schema(nullable = false)]
    gender: Option<Gender>,
}

#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(in crate::v1) enum Gender {
    Male,
    Female,
}

/// The steps the user completes, fixed at creation.
#[derive(Serialize, ToSchema)]
pub(in crate::v1) struct Plan {
    steps: Vec<Step>,
}

#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(in crate::v1) enum Step {
    Document,
    Selfie,
}

/// The outcome of a sandbox session.
#[derive(Serialize, ToSchema)]
#[schema(example = json!({"outcome": "approved"}))]
pub(in crate::v1) struct SandboxCompletion {
    outcome: SandboxOutcome,
}

#[derive(Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub(in crate::v1) enum SandboxOutcome {
    Approved,
    Rejected,
    NeedsReview,
    Failed,
    Expired,
}

/// A session back in `collecting`.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(example = examples::reprocessed)]
pub(in crate::v1) struct ReprocessedSession {
    #[schema(pattern = "^vs_[0-9a-f]{32}$")]
    id: String,
    status: SessionStatus,
    plan: Plan,
    /// The new deadline.
    #[schema(format = DateTime)]
    expires_at: String,
    #[schema(format = DateTime)]
    created_at: String,
    #[schema(required, value_type = Option<Object>)]
    metadata: Option<()>,
}

/// A session with its personal data.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(example = examples::read)]
pub(in crate::v1) struct SessionDetail {
    #[schema(pattern = "^vs_[0-9a-f]{32}$")]
    id: String,
    status: SessionStatus,
    plan: Plan,
    #[schema(format = DateTime)]
    expires_at: String,
    #[schema(format = DateTime)]
    created_at: String,
    /// As given at creation, with the same key order and number format.
    #[schema(required, value_type = Option<Object>)]
    metadata: Option<()>,
    /// Null when not completed.
    #[schema(required, format = DateTime)]
    completed_at: Option<String>,
    /// When the personal data was erased; null before.
    #[schema(required, format = DateTime)]
    purged_at: Option<String>,
    /// Personal data.
    #[schema(required)]
    pre_registered_info: Option<PreRegisteredInfo>,
    /// Personal data.
    #[schema(required)]
    user_input_info: Option<UserInputInfo>,
    /// Personal data.
    #[schema(required)]
    document_ocr: Option<DocumentOcr>,
    /// Only while `reviewing` or `completed`.
    #[schema(required)]
    outcome: Option<Outcome>,
}

/// What the user typed.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(in crate::v1) struct UserInputInfo {
    last_name: Option<String>,
    first_name: Option<String>,
    last_name_kana: Option<String>,
    first_name_kana: Option<String>,
    birth_date: Option<String>,
    address: Option<String>,
}

/// What was read from the document.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(in crate::v1) struct DocumentOcr {
    /// Chosen by the user: `driving_license`, `my_number_card`, `residence_card`, `special_permanent_resident_certificate`,
    /// `driving_history_certificate`, `passport`, `id_card`.
    #[schema(required)]
    document_type: Option<String>,
    fields: Vec<OcrField>,
}

/// One item.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(in crate::v1) struct OcrField {
    /// `front` or `back`.
    side: String,
    /// Such as `lastName`, `birthDate`, `documentNumber`, `expiryDate`, `mrz`.
    name: String,
    /// As read.
    #[schema(required)]
    text: Option<String>,
    /// ISO date, `male` or `female`, normalised text, or country code; null where not safely derivable.
    #[schema(required)]
    normalized: Option<String>,
}

/// The decision.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(in crate::v1) struct Outcome {
    session: SessionRef,
    verdict: Verdict,
    #[schema(format = DateTime)]
    decided_at: String,
    source: Source,
    #[schema(required)]
    review: Option<Review>,
    checks: Checks,
    /// Reason codes; ignore those you do not know.
    reasons: Vec<String>,
}

#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(in crate::v1) struct SessionRef {
    #[schema(pattern = "^vs_[0-9a-f]{32}$")]
    session_id: String,
    #[schema(pattern = "^tn_[0-9a-f]{32}$")]
    tenant_id: String,
}

#[derive(Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub(in crate::v1) enum Verdict {
    Approved,
    Rejected,
    NeedsReview,
}

#[derive(Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub(in crate::v1) enum Source {
    Automatic,
    ManualReview,
}

/// Filled only when `source` is `manual_review`.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(in crate::v1) struct Review {
    #[schema(format = DateTime)]
    reviewed_at: String,
    /// Free text; may hold personal data.
    #[schema(required)]
    note: Option<String>,
}

/// Summary of the checks, without personal data.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(in crate::v1) struct Checks {
    #[schema(required)]
    document: Option<DocumentCheck>,
    #[schema(required)]
    selfie: Option<SelfieCheck>,
    #[schema(required)]
    input_match: Option<InputMatchCheck>,
}

/// Null when the plan has no such step.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(in crate::v1) struct DocumentCheck {
    performed: bool,
    /// Chosen by the user, never detected.
    #[schema(required)]
    document_type: Option<String>,
    /// Null means not assessed. `unknown` does not allow approval.
    #[schema(required)]
    authenticity: Option<Authenticity>,
}

#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(in crate::v1) enum Authenticity {
    Authentic,
    Suspicious,
    Unknown,
}

/// Null when the plan has no such step.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(in crate::v1) struct SelfieCheck {
    performed: bool,
    #[schema(required, minimum = 0, maximum = 1)]
    liveness_confidence: Option<f64>,
    #[schema(required, minimum = 0, maximum = 1)]
    face_match_confidence: Option<f64>,
}

/// Null when not performed.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(in crate::v1) struct InputMatchCheck {
    performed: bool,
    /// True when every comparable item matched, null when none could be compared.
    #[schema(required)]
    matched: Option<bool>,
    /// Whether each item matched, by its name; never a value.
    #[schema(required)]
    fields: Option<BTreeMap<String, bool>>,
}
