//! Replaying a decision from the stored data, under the policy of that time or another one.

use crate::{
    capture::progress::AttemptState,
    decision::{input::DecisionInput, record::Explanation},
    runtime::sealed_json::open_json,
};
use domain::{
    civil_date,
    decision::{Decision, Earlier, Evidence, FaceSearch, Policy, decide},
    ids::SessionId,
    reasons::Reason,
    secret::Personal,
};
use store::{
    StoreError,
    decision::decisions::DecisionRow,
    vault::{SealedValue, SessionKey},
};

/// A decision that was made again.
pub(crate) struct Again {
    /// What was recorded of it.
    pub(crate) recorded: Explanation,
    /// What it was made of.
    pub(crate) found: DecisionInput,
    /// What is decided now.
    pub(crate) decision: Decision,
}

/// The decision on an attempt by `policy`, had it been in force at the time; `None` if too little is stored. What is not stored is taken as recorded:
/// whether the session was selected for quality control, and what came of comparing it with others.
///
/// # Errors
/// If what is stored cannot be decrypted or parsed.
pub(crate) fn decide_by(
    attempt: &AttemptState,
    decided: &DecisionRow,
    key: &SessionKey,
    policy: &Policy,
) -> Result<Option<Again>, StoreError> {
    let Some(sealed) = &decided.explanation else {
        return Ok(None);
    };
    let associated_data = attempt.row.associated_data(SealedValue::Explanation(decided.attempt));
    let recorded = open_json::<Explanation>(key, &associated_data, sealed)?.into_exposed();
    let Some(today) = civil_date::parse(&recorded.decided_on) else {
        return Ok(None);
    };
    let found = DecisionInput::of(attempt, key)?;
    let faces = recorded.faces.map(|faces| {
        if policy.find_duplicates {
            faces
        } else {
            FaceSearch::NotWanted
        }
    });
    let evidence = Evidence {
        plan: attempt.plan(),
        document_type: attempt.row.document_type,
        document: &found.document,
        selfie: found.selfie.as_ref(),
        typed: found.typed.as_ref().map(Personal::expose),
        known: found.known.as_ref().map(Personal::expose),
        earlier: &Earlier::as_noted(&recorded.reasons, faces),
        draw: draw(&attempt.row.session.id, decided, &recorded.reasons),
        today,
    };
    let decision = decide(&evidence, policy);
    Ok(Some(Again {
        recorded,
        found,
        decision,
    }))
}

/// A draw that selects the session for quality control by its policy exactly if it was selected. The rest of it comes from the id,
/// so that deciding again twice gives the same.
fn draw(id: &SessionId, decided: &DecisionRow, reasons: &[Reason]) -> f64 {
    let share = id
        .as_str()
        .bytes()
        .fold(0_u32, |sum, byte| sum.wrapping_mul(31).wrapping_add(byte.into()));
    let (share, sampled) = (f64::from(share) / (f64::from(u32::MAX) + 1.0), decided.policy.sampled);
    if reasons.contains(&Reason::QualitySampling) {
        share * sampled
    } else {
        share.mul_add(1.0 - sampled, sampled)
    }
}
