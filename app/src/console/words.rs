//! The console's words for codes used by the rest of the system.

use super::parts::Tone;
use domain::{
    decision::{Accepted, MachineReadable, provable},
    document::{DocumentType, FieldName},
    language::Language,
    outcome::Verdict,
    reasons::Reason,
    scope::Scope,
    session::{FailureReason, Status, Step},
};

/// A status and its tone.
#[must_use]
pub(super) const fn status(status: Status) -> (&'static str, Tone) {
    match status {
        Status::Created => ("Created", Tone::Plain),
        Status::Collecting => ("Collecting", Tone::Live),
        Status::Deciding => ("Deciding", Tone::Live),
        Status::Reviewing => ("In review", Tone::Warn),
        Status::Completed => ("Completed", Tone::Good),
        Status::Expired => ("Expired", Tone::Plain),
        Status::Failed => ("Failed", Tone::Bad),
    }
}

/// A verdict and its tone.
#[must_use]
pub(super) const fn verdict(verdict: Verdict) -> (&'static str, Tone) {
    match verdict {
        Verdict::Approved => ("Approved", Tone::Good),
        Verdict::Rejected => ("Rejected", Tone::Bad),
        Verdict::NeedsReview => ("Needs review", Tone::Warn),
    }
}

/// A kind of document.
#[must_use]
pub(super) const fn document(kind: DocumentType) -> &'static str {
    crate::text::capture::document_type(kind).get(Language::En)
}

/// The evidence that proves a document of this kind genuine, as one sentence.
#[must_use]
pub(super) fn evidence(kind: DocumentType) -> String {
    let provable = provable(kind);
    let mut ways: Vec<&str> = provable.by.iter().map(|by| machine_readable(*by)).collect();
    if provable.visually {
        ways.push("every visual check of its layout, if the settings allow that");
    }
    format!("{}: {}.", document(kind), ways.join("; or "))
}

const fn machine_readable(by: MachineReadable) -> &'static str {
    match by {
        MachineReadable::Zone => "a machine-readable zone with correct check digits, matched by the printed text",
        MachineReadable::Barcode => "a PDF417 barcode that names its issuer, matched by the printed text",
        MachineReadable::Seal => "a digital seal with its issuer's signature, matched by the printed text",
    }
}

/// What a tenant accepts without review.
#[must_use]
pub(super) const fn accepted(accepted: Accepted) -> &'static str {
    match accepted {
        Accepted::MachineReadable => "Only documents with machine-readable data",
        Accepted::Visual => "Also documents without machine-readable data, by visual checks of their layout",
    }
}

/// A step.
#[must_use]
pub(super) const fn step(step: Step) -> &'static str {
    match step {
        Step::Document => "Document",
        Step::Selfie => "Selfie",
    }
}

/// The sentence of a reason code; the code itself if unknown.
#[must_use]
pub(super) fn reason(code: &str) -> String {
    Reason::parse(code).map_or_else(|| code.to_owned(), |reason| reason.sentence(Language::En).to_owned())
}

/// The sentence of a failure.
#[must_use]
pub(super) const fn failure(reason: FailureReason) -> &'static str {
    match reason {
        FailureReason::ProcessingError => "Processing failed permanently.",
        FailureReason::MediaCorrupted => "A stored picture is damaged.",
        FailureReason::MediaLost => "A stored picture is missing.",
        FailureReason::AttemptsExhausted => "All internal retries failed.",
        FailureReason::ConsentDeclined => "The user declined consent.",
        FailureReason::DeviceNotSupported => "The user's device is not supported.",
        FailureReason::SettingsInvalid => "The settings are no longer valid.",
        FailureReason::OperatorCancelled => "An operator cancelled the session.",
        FailureReason::ErasedBeforeDecision => "The personal data was erased before a decision.",
    }
}

/// An item read from a document.
#[must_use]
pub(super) const fn field(name: FieldName) -> &'static str {
    match name {
        FieldName::LastName => "Last name",
        FieldName::FirstName => "First name",
        FieldName::FullName => "Name",
        FieldName::LastNameKana => "Last name (kana)",
        FieldName::FirstNameKana => "First name (kana)",
        FieldName::BirthDate => "Date of birth",
        FieldName::Gender => "Gender",
        FieldName::Address => "Address",
        FieldName::Nationality => "Nationality",
        FieldName::DocumentNumber => "Document number",
        FieldName::IssueDate => "Issued",
        FieldName::ExpiryDate => "Expires",
        FieldName::IssuingAuthority => "Issuing authority",
        FieldName::IssuingCountry => "Issuing country",
        FieldName::ResidenceStatus => "Status of residence",
        FieldName::Mrz => "Machine-readable zone",
    }
}

/// The name of a score.
#[must_use]
pub(super) fn score(name: &str) -> String {
    match name {
        "face_match" => "Face match".into(),
        "liveness" => "Liveness".into(),
        "turn" => "Head turn".into(),
        "zones_agree" => "Printed and machine-readable data agree".into(),
        "mrz_reading" => "MRZ reading confidence".into(),
        "grey_share" => "Share of grey".into(),
        "raster" => "Screen or print raster".into(),
        "layout" => "Layout confidence".into(),
        other => other.replace('_', " "),
    }
}

/// Whether a score must stay below its limit; others must reach it.
#[must_use]
pub(super) fn must_stay_under(name: &str) -> bool {
    matches!(name, "grey_share" | "raster")
}

/// The action as the audit log words it.
#[must_use]
pub(super) fn action(action: &str) -> String {
    match action {
        "session.create" => "created a session".into(),
        "session.read" => "read a session".into(),
        "session.reprocess" => "reprocessed a session".into(),
        "session.consent" => "gave consent".into(),
        "session.decline" => "declined consent".into(),
        "session.submit" => "submitted the session".into(),
        "session.decide" => "decided the session".into(),
        "session.expire" => "ended the session at its deadline".into(),
        "session.erase" => "erased the personal data".into(),
        "session.erase_now" => "requested erasure of the personal data".into(),
        "session.complete_in_sandbox" => "completed the session with test data".into(),
        "link.open" => "opened the link".into(),
        "link.hand_over" => "continued on another device".into(),
        "session.reissue_link" => "reissued a link".into(),
        "case.open" => "opened a case".into(),
        "case.rule" => "decided a case".into(),
        "case.ask_again" => "asked the user again".into(),
        "picture.view" => "viewed a picture".into(),
        "key.issue" => "issued an API key".into(),
        "key.revoke" => "revoked an API key".into(),
        "settings.change" => "changed settings".into(),
        "person.add" => "added a person".into(),
        "person.invite" => "invited a person".into(),
        "person.revoke_invitation" => "revoked an invitation".into(),
        "person.join" => "accepted an invitation".into(),
        "person.issue_reset" => "issued a password reset link".into(),
        "person.reset_password" => "reset their password".into(),
        "person.grant_operator" => "made a person an operator".into(),
        "person.change" => "changed a person".into(),
        "person.sign_in" => "signed in".into(),
        "person.sign_in_refused" => "failed to sign in".into(),
        "person.change_password" => "changed their password".into(),
        "person.sign_out_everywhere" => "signed out everywhere".into(),
        "installation.set_up" => "set up the installation".into(),
        "tenant.create" => "created the tenant".into(),
        "webhook_secret.issue" => "issued a webhook secret".into(),
        "webhook_secret.disable" => "disabled a webhook secret".into(),
        "webhook.send_again" => "resent a webhook".into(),
        "webhook.send_range_again" => "resent webhooks".into(),
        "webhook.test" => "sent a test webhook".into(),
        other => other.replace(['.', '_'], " "),
    }
}

/// Whether an action without an actor was done by the user being verified.
#[must_use]
pub(super) fn is_applicants(action: &str) -> bool {
    matches!(
        action,
        "link.open" | "link.hand_over" | "session.consent" | "session.decline" | "session.submit"
    )
}

/// What a key with a scope may be used for.
#[must_use]
pub(super) const fn scope(scope: Scope) -> &'static str {
    match scope {
        Scope::Create => "create sessions",
        Scope::Read => "read sessions, including their personal data",
        Scope::Manage => "reprocess sessions",
    }
}

/// A role.
#[must_use]
pub(super) fn role(role: &str) -> &'static str {
    match role {
        "admin" => "Admin",
        "developer" => "Developer",
        "reviewer" => "Reviewer",
        "auditor" => "Auditor",
        _ => "Operator",
    }
}

/// What a role may do.
#[must_use]
pub(super) fn role_hint(role: &str) -> &'static str {
    match role {
        "admin" => "everything",
        "developer" => "keys, webhooks and allow-lists; no personal data",
        "reviewer" => "cases and sessions",
        "auditor" => "sessions and the audit log, read-only; no pictures",
        _ => "runs the installation and invites first admins; no personal data",
    }
}
