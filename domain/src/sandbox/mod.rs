//! Sandbox tenants: the outcome of a session is chosen, and its data is fictional. The evidence of a fictional person, with the
//! flaw that leads to the chosen verdict, is judged by the rules of [`crate::decision`] as usual. Nothing is analysed.

use crate::{
    civil_date,
    decision::{Decision, Earlier, Evidence, Policy, decide},
    document::{DocumentType, FieldName, OcrField, Side},
    findings::{
        Challenge, DocumentFindings, Face, FaceEngine, LiveFindings, LivenessFindings, Movement, MrzFormat, MrzReading,
        Quality, SelfieFindings, SelfieSigns,
    },
    json::{Raw, raw},
    named::vocabulary,
    outcome::Verdict,
    request::{Issue, PreRegistered, Reader},
    session::{Plan, Step},
    user_input::{FormStyle, Gender, TypedForm, UserInput},
};
use serde::Deserialize;
use std::fmt;
use time::{Date, Duration};

vocabulary! {
    /// The outcome to end the session with.
    SandboxOutcome {
        /// Identity verified.
        Approved = "approved",
        /// Not verified.
        Rejected = "rejected",
        /// Routed to a person.
        NeedsReview = "needs_review",
        /// An unrecoverable error.
        Failed = "failed",
        /// The deadline passes immediately.
        Expired = "expired",
    }
}

vocabulary! {
    /// The time to which the clock of a session is moved.
    SandboxTime {
        /// `expiresAt`, of a session that is `created` or `collecting`.
        Deadline = "deadline",
        /// The end of the retention period, of a session that is `completed`, `expired` or `failed`.
        RetentionEnd = "retention_end",
    }
}

/// Where the clock of a sandbox session is moved to.
#[derive(Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema), schema(example = json!({"to": "retention_end"})))]
pub struct SandboxAdvance<'a> {
    #[cfg_attr(feature = "schema", schema(required, value_type = SandboxTime))]
    #[serde(borrow, default, deserialize_with = "raw")]
    to: Raw<'a>,
}

impl SandboxTime {
    /// Parses the body of an advance, `{"to": ".."}`; unknown fields are ignored.
    ///
    /// # Errors
    /// What violates the description, at least one issue.
    pub fn parse_body(body: &[u8]) -> Result<Self, Vec<Issue>> {
        let mut reader = Reader::default();
        let Some(fields) = reader.body::<SandboxAdvance<'_>>(body) else {
            return Err(reader.issues);
        };
        one_of(reader, fields.to, &["to"], Self::ALL, Self::parse)
    }
}

/// The member at `at`, which must be given and be one of `all`.
fn one_of<T: Copy + fmt::Display>(
    mut reader: Reader,
    member: Raw<'_>,
    at: &'static [&'static str],
    all: &[T],
    parse: fn(&str) -> Option<T>,
) -> Result<T, Vec<Issue>> {
    if member.is_none() {
        reader.issue("Missing", at, "must be given");
    }
    let text = reader.string(member, at);
    let value = text.as_deref().and_then(parse);
    if text.is_some() && value.is_none() {
        let names: Vec<_> = all.iter().map(ToString::to_string).collect();
        reader.issue("Format", at, format!("must be one of {}", names.join(", ")));
    }
    value.ok_or(reader.issues)
}

/// The outcome of a sandbox session.
#[derive(Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema), schema(example = json!({"outcome": "approved"})))]
pub struct SandboxCompletion<'a> {
    #[cfg_attr(feature = "schema", schema(required, value_type = SandboxOutcome))]
    #[serde(borrow, default, deserialize_with = "raw")]
    outcome: Raw<'a>,
}

impl SandboxOutcome {
    /// Its verdict; `None` if nothing is decided.
    #[must_use]
    pub const fn verdict(self) -> Option<Verdict> {
        match self {
            Self::Approved => Some(Verdict::Approved),
            Self::Rejected => Some(Verdict::Rejected),
            Self::NeedsReview => Some(Verdict::NeedsReview),
            Self::Failed | Self::Expired => None,
        }
    }

    /// Parses the body of a completion, `{"outcome": ".."}`; unknown fields are ignored.
    ///
    /// # Errors
    /// What violates the description, at least one issue.
    pub fn parse_body(body: &[u8]) -> Result<Self, Vec<Issue>> {
        let mut reader = Reader::default();
        let Some(fields) = reader.body::<SandboxCompletion<'_>>(body) else {
            return Err(reader.issues);
        };
        one_of(reader, fields.outcome, &["outcome"], Self::ALL, Self::parse)
    }
}

/// What a fictional person showed and typed, and the decision.
#[derive(Clone, Debug)]
pub struct MadeUp {
    /// The kind of document; `None` if the plan has none.
    pub document_type: Option<DocumentType>,
    /// The items on it.
    pub fields: Vec<OcrField>,
    /// What was typed; `None` if the plan has no document.
    pub typed: Option<UserInput>,
    /// The policy of the decision.
    pub policy: Policy,
    /// The decision, with the requested verdict.
    pub decision: Decision,
}

/// Creates a fictional person for whom the rules give `verdict`. What is `known` of a person is taken over, except for each item that no document
/// could confirm, such as a birth date in the future: it is left out of the comparison.
#[must_use]
pub fn make_up(plan: &Plan, known: Option<&PreRegistered>, verdict: Verdict, today: Date) -> MadeUp {
    let confirmed = known.map(|known| confirmable(plan, known, today));
    let confirmed = confirmed.filter(|known| *known != PreRegistered::default());
    judge(plan, confirmed.as_ref(), verdict, today)
}

/// The items of `known` with which a session can be approved.
fn confirmable(plan: &Plan, known: &PreRegistered, today: Date) -> PreRegistered {
    const ITEMS: [fn(&mut PreRegistered, &PreRegistered); 5] = [
        |kept, known| kept.birth_date.clone_from(&known.birth_date),
        |kept, known| kept.last_name.clone_from(&known.last_name),
        |kept, known| kept.first_name.clone_from(&known.first_name),
        |kept, known| kept.address.clone_from(&known.address),
        |kept, known| kept.gender = known.gender,
    ];
    ITEMS.iter().fold(PreRegistered::default(), |kept, take| {
        let mut more = kept.clone();
        take(&mut more, known);
        let can_be_typed = UserInput::parse(&form(Some(&more)), FormStyle::International, today).is_ok();
        let judged = judge(plan, Some(&more), Verdict::Approved, today);
        if can_be_typed && judged.decision.verdict == Verdict::Approved {
            more
        } else {
            kept
        }
    })
}

/// Not the tenant's policy: a sandbox tests the integration, and a threshold that nobody passes must not get in the way. The
/// state of specimens counts, and a selfie alone can be rejected.
fn policy() -> Policy {
    Policy {
        accept_specimens: true,
        reject_on_fraud_signals: true,
        ..Policy::default()
    }
}

fn judge(plan: &Plan, known: Option<&PreRegistered>, verdict: Verdict, today: Date) -> MadeUp {
    let (has_document, has_selfie) = (plan.has(Step::Document), plan.has(Step::Selfie));
    // What cannot be typed is confirmed by nothing.
    let typed = UserInput::parse(&form(known), FormStyle::International, today).unwrap_or_default();
    let in_date = verdict != Verdict::Rejected || has_selfie;
    let passport = DocumentFindings {
        // Without it there is not enough evidence that the document is genuine.
        viz_agreement: (verdict != Verdict::NeedsReview).then_some(1.0),
        ..passport(fields(&typed, known, in_date, today))
    };
    let selfie = selfie(verdict, has_document);
    let document_type = has_document.then_some(DocumentType::Passport);
    let policy = policy();
    let evidence = Evidence {
        plan,
        document_type,
        document: if has_document {
            std::slice::from_ref(&passport)
        } else {
            &[]
        },
        selfie: has_selfie.then_some(&selfie),
        typed: has_document.then_some(&typed),
        known,
        earlier: &Earlier::default(),
        draw: 1.0,
        today,
    };
    let decision = decide(&evidence, &policy);
    MadeUp {
        document_type,
        fields: if has_document { passport.fields } else { Vec::new() },
        typed: has_document.then_some(typed),
        policy,
        decision,
    }
}

fn form(known: Option<&PreRegistered>) -> TypedForm {
    let known_or = |field: fn(&PreRegistered) -> Option<&String>, otherwise: &str| {
        known
            .and_then(field)
            .map_or_else(|| otherwise.to_owned(), String::clone)
    };
    TypedForm {
        last_name: known_or(|known| known.last_name.as_ref(), "SAMPLE"),
        first_name: known_or(|known| known.first_name.as_ref(), "HANAKO"),
        birth_date: known_or(|known| known.birth_date.as_ref(), "1990-02-28"),
        address: known_or(|known| known.address.as_ref(), "1-2-3 Sample Town"),
        ..TypedForm::default()
    }
}

/// A passport of `UTO`, the fictional state of specimens (ICAO 9303-3 section 5).
fn fields(typed: &UserInput, known: Option<&PreRegistered>, in_date: bool, today: Date) -> Vec<OcrField> {
    let gender = known.and_then(|known| known.gender).unwrap_or(Gender::Female);
    let expiry = if in_date {
        today.saturating_add(Duration::weeks(5 * 52))
    } else {
        today.saturating_sub(Duration::weeks(52))
    };
    let text = |text: &Option<String>| text.clone().unwrap_or_default();
    let items = [
        (FieldName::LastName, text(&typed.last_name)),
        (FieldName::FirstName, text(&typed.first_name)),
        (FieldName::BirthDate, text(&typed.birth_date)),
        (FieldName::Gender, gender.as_str().to_owned()),
        (FieldName::Nationality, "UTO".to_owned()),
        (FieldName::DocumentNumber, "UTO000000".to_owned()),
        (FieldName::ExpiryDate, civil_date::format(expiry)),
        (FieldName::IssuingCountry, "UTO".to_owned()),
    ];
    let field = |(name, text): (FieldName, String)| OcrField {
        side: Side::Front,
        name,
        text: Some(text.clone()),
        normalized: Some(text),
    };
    items.into_iter().map(field).collect()
}

/// A picture without problems.
const FLAWLESS: Quality = Quality {
    sharpness: 1.0,
    glare: 0.0,
    exposure: 0.5,
    face_range: None,
    coverage: Some(0.6),
    cut_off: Some(false),
    obstructed: None,
};

/// A genuine passport, except for what the caller changes.
fn passport(fields: Vec<OcrField>) -> DocumentFindings {
    DocumentFindings {
        quality: FLAWLESS,
        mrz: Some(MrzReading {
            format: MrzFormat::Td3,
            lines: vec![format!("P<UTO{}", "<".repeat(39)), "<".repeat(44)],
            log_probability: 0.0,
            checks_passed: 5,
            checks_total: 5,
            agrees_with_free_reading: true,
            names_in_doubt: false,
        }),
        fields,
        text_lines: 12,
        viz_agreement: Some(1.0),
        portrait: Some(face(0.0)),
        specimen_words: true,
        ..DocumentFindings::none(Side::Front)
    }
}

/// The holder, alive. For a rejection it is another person than the portrait's or, without a document, a still picture; for a
/// review without a document, liveness is too low.
fn selfie(verdict: Verdict, has_document: bool) -> SelfieFindings {
    let alone = |wanted| verdict == wanted && !has_document;
    SelfieFindings {
        quality: FLAWLESS,
        frames: 15,
        faces: 1,
        face: Some(face(if verdict == Verdict::Rejected { 2.0 } else { 0.0 })),
        best_frame: Some(0),
        liveness: Some(LivenessFindings {
            movements: vec![Movement {
                challenge: Challenge::TurnLeft,
                extent: 0.5,
                plane_residual: (!alone(Verdict::NeedsReview)).then_some(0.2),
            }],
            frontal_yaw: 0.0,
            same_person_distance: Some(0.2),
            turned_person_distance: Some(0.4),
            still: alone(Verdict::Rejected),
            live: Some(LiveFindings {
                answered_ms: vec![1_000],
                same_frames: true,
                watched: None,
                commitment: None,
                run: 1,
                repeated_frames: 0,
                unseen_turns: 0,
                flashes: None,
            }),
            colours_followed: None,
        }),
        signs: SelfieSigns::NOTHING_SEEN,
        ..SelfieFindings::none()
    }
}

/// A face at this descriptor distance from the portrait's.
fn face(distance: f32) -> Face {
    Face {
        bounds: [0.0, 0.0, 90.0, 120.0],
        eye_distance: 40.0,
        eyes: [[25.0, 45.0], [65.0, 45.0]],
        score: 1.0,
        descriptor: vec![distance],
        engine: FaceEngine::default(),
    }
}

#[cfg(test)]
mod tests;
