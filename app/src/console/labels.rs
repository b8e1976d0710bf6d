//! The console's words for codes used by the rest of the system.

use super::parts::Tone;
use domain::{
    audit::AuditAction,
    decision::{Accepted, MachineReadable, ScoreName, provable},
    document::{DocumentType, FieldName},
    findings::Challenge,
    language::Language,
    named::Named,
    outcome::Verdict,
    reasons::Reason,
    role::Role,
    ruling::Ruling,
    scope::Scope,
    session::{FailureReason, Status, Step},
    tenant::Weakening,
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

/// What a change of settings weakens, as a sentence.
pub(super) const fn weakening(weakening: Weakening) -> &'static str {
    match weakening {
        Weakening::StepRemoved => "New sessions will no longer require a verification step that they require now.",
        Weakening::ThresholdLowered => "A lower confidence will be enough for a face match or liveness.",
        Weakening::FraudSignalsReviewed => "Fraud signals will no longer reject a session by themselves.",
        Weakening::SpecimensAccepted => "Specimens and documents of a fictional state will count as genuine.",
        Weakening::VisualEvidence => {
            "A document will be approved by its appearance, which can be imitated with a printer."
        }
        Weakening::DuplicatesMissed => "People who were approved before will be found less often, or not at all.",
        Weakening::SampledLess => "Fewer sessions will be selected for quality control.",
        Weakening::ReceiverChanged => "Results will no longer be sent to where they are sent now.",
        Weakening::NetworksAdmitted => "More networks will be able to call the API.",
        Weakening::AddressesShutOut => "Addresses that may call the API now will be refused.",
        Weakening::RetentionShortened => "Personal data will be erased sooner, also that of sessions that have ended.",
        Weakening::SecondFactorOptional => "A password alone will be enough to sign in to the console.",
    }
}

/// A setting by its name as stored.
pub(super) fn setting(name: &str) -> String {
    let known = match name {
        "steps" => "Verification steps",
        "callback_urls" => "Callback URLs",
        "ip_allow_list" => "IP allow-list",
        "webhook_url" => "Webhook receiver",
        "event_types" => "Events",
        "link_lifetime" => "Link lifetime",
        "session_lifetime" => "Session lifetime",
        "retention" => "Personal data retention",
        "tries" => "Tries per step",
        "accent" => "Accent colour",
        "contact" => "Contact",
        "review_target" => "Review target",
        "match_accept" => "Face match, accept from",
        "match_review" => "Face match, review from",
        "liveness_accept" => "Liveness, accept from",
        "liveness_review" => "Liveness, review from",
        "reject_on_fraud_signals" => "Reject on fraud signals",
        "accept_specimens" => "Accept specimens",
        "accepted" => "Automatic approval",
        "find_duplicates" => "Search for faces approved before",
        "duplicate_from" => "Same face, from",
        "sampled" => "Quality control, share",
        "second_factor_required" => "Second factor required",
        other => other,
    };
    known.to_owned()
}

/// A reviewer's decision.
pub(super) const fn ruling(ruling: Ruling) -> (&'static str, Tone) {
    match ruling {
        Ruling::Approved => ("Approved", Tone::Good),
        Ruling::Rejected => ("Rejected", Tone::Bad),
        Ruling::AskedAgain => ("Asked again", Tone::Warn),
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
pub(super) fn document(kind: DocumentType) -> &'static str {
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

/// A movement that the selfie camera asks for.
#[must_use]
pub(super) const fn movement(challenge: Challenge) -> &'static str {
    match challenge {
        Challenge::TurnLeft => "Turn the head left",
        Challenge::TurnRight => "Turn the head right",
        Challenge::ComeCloser => "Come closer",
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

/// The sentence of a reason; the code itself if this version does not know it.
#[must_use]
pub(super) fn reason(code: &Named<Reason>) -> String {
    match code {
        Named::Known(reason) => reason.sentence(Language::En).to_owned(),
        Named::Other(code) => code.clone(),
    }
}

/// The name of a reason in a word or two: its code as people write it.
#[must_use]
pub(super) fn reason_name(reason: Reason) -> String {
    if reason == Reason::ManualRejection {
        return "Another reason, in the note".to_owned();
    }
    let words = reason.as_str().replace('_', " ");
    let words = words.replace("mrz", "MRZ").replace("ocr", "OCR");
    let mut letters = words.chars();
    let first = letters.next().map(|first| first.to_uppercase().to_string());
    first.unwrap_or_default() + letters.as_str()
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
pub(super) fn score(name: &Named<ScoreName>) -> String {
    let known = match name {
        Named::Known(known) => known,
        Named::Other(rule) => return rule.replace('_', " "),
    };
    let label = match known {
        ScoreName::FaceMatch => "Face match",
        ScoreName::Liveness => "Liveness",
        ScoreName::PassiveLiveness => "Liveness by the passive network",
        ScoreName::Turn => "Head turn",
        ScoreName::ComeCloser => "Came closer by",
        ScoreName::Solidity => "Depth of the turned face",
        ScoreName::SamePerson => "Distance between the faces of the burst",
        ScoreName::SamePersonTurned => "Distance between the straight and the turned face",
        ScoreName::RepeatedFrames => "Photos that another session has sent before",
        ScoreName::ZonesAgree => "Printed and machine-readable data agree",
        ScoreName::MrzReading => "MRZ reading confidence",
        ScoreName::GreyShare => "Share of grey",
        ScoreName::Raster => "Screen or print raster",
        ScoreName::PortraitRepeated => "Distance between the document's two portraits",
        ScoreName::Layout => "Layout confidence",
        ScoreName::LayoutHidden => "Hidden part of the layout",
        ScoreName::SelfieGrid => "Pixel grid of a screen around the face",
        ScoreName::EyesCovered => "Eyes covered",
        ScoreName::MouthCovered => "Mouth covered",
        ScoreName::PortraitDistance => "Distance from the document's portrait",
        ScoreName::DuplicateFace => "Match with a face approved before",
        ScoreName::SameHolder => "Match with the earlier holder of the document",
    };
    label.to_owned()
}

/// The action as the audit log words it.
#[must_use]
pub(super) fn action(action: &Named<AuditAction>) -> String {
    let known = match action {
        Named::Known(known) => known,
        Named::Other(name) => return name.replace(['.', '_'], " "),
    };
    let label = match known {
        AuditAction::SessionCreate => "created a session",
        AuditAction::SessionRead => "read a session",
        AuditAction::SessionSearch => "looked for a person",
        AuditAction::SessionReprocess => "reprocessed a session",
        AuditAction::SessionCancel => "cancelled a session",
        AuditAction::SessionConsent => "gave consent",
        AuditAction::SessionDecline => "declined consent",
        AuditAction::SessionSubmit => "submitted the session",
        AuditAction::SessionDecide => "decided the session",
        AuditAction::SessionExpire => "ended the session at its deadline",
        AuditAction::SessionErase => "erased the personal data",
        AuditAction::SessionEraseNow => "requested erasure of the personal data",
        AuditAction::SessionCompleteInSandbox => "completed the session with test data",
        AuditAction::SessionAdvanceInSandbox => "moved the session’s clock",
        AuditAction::SessionReissueLink => "reissued a link",
        AuditAction::LinkOpen => "opened the link",
        AuditAction::LinkSwitchDevice => "continued on another device",
        AuditAction::CaseOpen => "opened a case",
        AuditAction::CaseAssign => "assigned a case",
        AuditAction::CaseRule => "decided a case",
        AuditAction::CaseUndo => "undid their decision on a case",
        AuditAction::CaseAskAgain => "asked the user again",
        AuditAction::PictureView => "viewed a picture",
        AuditAction::KeyIssue => "issued an API key",
        AuditAction::KeyRevoke => "revoked an API key",
        AuditAction::SettingsChange => "changed settings",
        AuditAction::LogoSet => "uploaded a logo",
        AuditAction::LogoRemove => "removed the logo",
        AuditAction::PersonAdd => "added a person",
        AuditAction::PersonInvite => "invited a person",
        AuditAction::PersonRevokeInvitation => "revoked an invitation",
        AuditAction::PersonJoin => "accepted an invitation",
        AuditAction::PersonIssueReset => "issued a password reset link",
        AuditAction::PersonResetPassword => "reset their password",
        AuditAction::PersonGrantOperator => "made a person an operator",
        AuditAction::PersonChange => "changed a person",
        AuditAction::PersonSignIn => "signed in",
        AuditAction::PersonSignInRefused => "failed to sign in",
        AuditAction::PersonLinkAccount => "linked their account to the identity provider",
        AuditAction::PersonUnlinkAccount => "removed an account’s link to the identity provider",
        AuditAction::PersonChangePassword => "changed their password",
        AuditAction::FactorAdd => "added a second factor",
        AuditAction::FactorRemove => "removed a second factor",
        AuditAction::RecoveryCodesIssue => "made new recovery codes",
        AuditAction::PersonEndSession => "signed out another browser",
        AuditAction::PersonSignOutEverywhere => "signed out everywhere",
        AuditAction::InstallationSetUp => "set up the installation",
        AuditAction::TenantCreate => "created the tenant",
        AuditAction::WebhookSecretIssue => "issued a webhook secret",
        AuditAction::WebhookSecretDisable => "disabled a webhook secret",
        AuditAction::MasterKeyRotate => "replaced the master key",
        AuditAction::SessionExport => "downloaded the list of sessions",
        AuditAction::AuditExport => "exported the audit log",
        AuditAction::AuditTrim => "removed old entries of the audit log",
        AuditAction::WebhookSendAgain => "resent a webhook",
        AuditAction::WebhookSendRangeAgain => "resent webhooks",
        AuditAction::WebhookTest => "sent a test webhook",
    };
    label.to_owned()
}

/// What a key with a scope may be used for.
#[must_use]
pub(super) const fn scope(scope: Scope) -> &'static str {
    match scope {
        Scope::Create => "create sessions",
        Scope::Read => "list and read sessions and events, including personal data",
        Scope::Manage => "cancel, reprocess and erase sessions",
    }
}

/// A role; nobody's own in a tenant is that of an operator.
#[must_use]
pub(super) const fn role(role: Option<Role>) -> &'static str {
    match role {
        Some(Role::Admin) => "Admin",
        Some(Role::Developer) => "Developer",
        Some(Role::Reviewer) => "Reviewer",
        Some(Role::Auditor) => "Auditor",
        None => "Operator",
    }
}

/// What a role may do.
#[must_use]
pub(super) const fn role_hint(role: Option<Role>) -> &'static str {
    match role {
        Some(Role::Admin) => "everything",
        Some(Role::Developer) => "keys, webhooks and allow-lists; no personal data",
        Some(Role::Reviewer) => "cases and sessions",
        Some(Role::Auditor) => "sessions and the audit log, read-only; no pictures",
        None => "runs the installation and invites first admins; no personal data",
    }
}
