//! Verifying the decisions on a session: each is replayed from the stored data, under the policy of that time, and compared with the record.

use crate::{
    Honnin,
    access::CommandLine,
    capture::progress::{AttemptState, gather},
    decision::again::{Again, decide_by},
    runtime::sealed_json::open_column,
};
use domain::{
    audit::AuditAction,
    decision::{Score, ScoreName},
    document::OcrField,
    findings::ModelHash,
    ids::{CaptureId, SessionId, TenantId},
    outcome::{Source, Verdict},
    reasons::Reason,
    secret::Personal,
    session::{AttemptNumber, Step},
    time::Timestamp,
};
use serde::{Serialize, de::DeserializeOwned};
use std::fmt::Display;
use store::{
    StoreError, Tx, audit,
    decision::decisions::{self, DecisionRow},
    session::sessions,
    vault::{SealedValue, SessionKey},
};

/// A decision that was made again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VerifiedDecision {
    /// Of which attempt.
    pub attempt: AttemptNumber,
    /// When it was made.
    pub decided_at: Timestamp,
    /// The verdict, as recorded.
    pub verdict: Verdict,
    /// What is recorded otherwise than it follows from what is stored.
    pub differences: Vec<Difference>,
    /// Why not all of it could be made again.
    pub missing: Vec<Missing>,
}

/// A difference between what is recorded and what was decided again. Contains nothing that was read or typed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Difference {
    /// Something follows from what is stored in another way.
    Recorded {
        /// What it is.
        what: &'static str,
        /// As recorded.
        recorded: String,
        /// As decided again.
        again: String,
    },
    /// Something is stored that cannot be decrypted or parsed, so it was changed, moved or damaged.
    Unreadable(&'static str),
}

/// Why not all of a decision could be made again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Missing {
    /// The personal data is erased.
    PersonalData,
    /// The record of scores and reasons is not stored, although the session is not erased.
    Record,
    /// The data was made up in a sandbox.
    Findings,
    /// The comparison with the people who were approved with the same document: what came of it is taken as recorded.
    Holders,
    /// The search for the face, which earlier versions did not keep.
    FaceSearch,
}

/// Why no decision was verified.
#[derive(Clone, Debug, thiserror::Error)]
pub enum VerifyError {
    /// There is no such session.
    #[error("there is no session with this id")]
    NotFound,
    /// Storage.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Makes every automatic decision on a session again, oldest first, and compares. Looking at what a session was decided by is
/// reading its personal data, and is recorded first.
///
/// # Errors
/// [`VerifyError`].
pub async fn verify_decisions(
    honnin: &Honnin,
    here: CommandLine,
    session: &str,
) -> Result<Vec<VerifiedDecision>, VerifyError> {
    let id = SessionId::parse(session).ok_or(VerifyError::NotFound)?;
    let now = honnin.now();
    let unit = honnin.db.write(async move |tx| {
        let (tenant, stored) = load(tx, &id).await?.ok_or(VerifyError::NotFound)?;
        let entry = here.entry(now, AuditAction::SessionRead).in_tenant(tenant).about(&id);
        audit::record(tx, &entry).await?;
        Ok::<_, VerifyError>(stored)
    });
    let mut verified = Vec::new();
    for stored in unit.await? {
        verified.push(verify(honnin, &stored).await?);
    }
    Ok(verified)
}

/// A decision as it is stored, with the attempt that it is about.
struct Stored {
    decided: DecisionRow,
    attempt: AttemptState,
    /// Whether it is the session's last attempt, whose outcome and readings are stored with the session.
    is_last: bool,
}

/// The decisions on a session, with its tenant; `None` if there is no such session.
async fn load(tx: &mut Tx, id: &SessionId) -> Result<Option<(TenantId, Vec<Stored>)>, StoreError> {
    let Some(row) = sessions::find_any(tx, id).await? else {
        return Ok(None);
    };
    let mut stored = Vec::new();
    for decided in decisions::list(tx, id).await? {
        let is_last = row.session.attempt == decided.attempt;
        let mut of_attempt = row.clone();
        of_attempt.session.attempt = decided.attempt;
        let mut attempt = gather(tx, of_attempt).await?;
        if !is_last {
            let has_document = attempt.plan().has(Step::Document);
            attempt.row.document_type = attempt.answers.document_type.filter(|_| has_document);
        }
        stored.push(Stored {
            decided,
            attempt,
            is_last,
        });
    }
    Ok(Some((row.session.tenant, stored)))
}

async fn verify(honnin: &Honnin, stored: &Stored) -> Result<VerifiedDecision, StoreError> {
    let Stored { decided, attempt, .. } = stored;
    let mut verified = VerifiedDecision {
        attempt: decided.attempt,
        decided_at: decided.decided_at,
        verdict: decided.verdict,
        differences: Vec::new(),
        missing: Vec::new(),
    };
    if attempt.row.session.purged_at.is_some() {
        verified.missing.push(Missing::PersonalData);
        return Ok(verified);
    }
    let key = match honnin.vault.open(&attempt.row.data_key).await {
        Err(StoreError::Erased) => {
            verified.missing.push(Missing::PersonalData);
            return Ok(verified);
        }
        key => key?,
    };
    if attempt.tenant.mode.is_sandbox() && attempt.relied_on().is_empty() {
        verified.missing.push(Missing::Findings);
        return Ok(verified);
    }
    match compared(stored, &key, &mut verified) {
        Ok(()) => {}
        Err(StoreError::Corrupt(fault)) => verified.differences.push(Difference::Unreadable(fault)),
        Err(other) => return Err(other),
    }
    Ok(verified)
}

/// Decides again and notes what differs and what is missing.
fn compared(stored: &Stored, key: &SessionKey, verified: &mut VerifiedDecision) -> Result<(), StoreError> {
    let Stored {
        decided,
        attempt,
        is_last,
    } = stored;
    let Some(again) = decide_by(attempt, decided, key, &decided.policy)? else {
        verified.missing.push(Missing::Record);
        return Ok(());
    };
    if again.recorded.faces.is_none() && decided.policy.find_duplicates {
        verified.missing.push(Missing::FaceSearch);
        return Ok(());
    }
    let recorded = &again.recorded;
    if recorded.reasons.contains(&Reason::DocumentReused) || recorded.scores.iter().any(is_of_holders) {
        verified.missing.push(Missing::Holders);
    }
    verified.note("verdict", decided.verdict, again.decision.verdict);
    verified.note("reasons", listed(&recorded.reasons), listed(&again.decision.reasons));
    let relied_on = attempt.relied_on();
    let relied_on: Vec<&CaptureId> = relied_on.iter().map(|capture| &capture.id).collect();
    verified.note("pictures", listed(&recorded.captures), listed(relied_on));
    let model = |model: &ModelHash| format!("{} {}", model.name, model.sha256);
    let found_by = again.found.models();
    verified.note(
        "models",
        listed(decided.models.iter().map(model)),
        listed(found_by.iter().map(model)),
    );
    compare_scores(&again, verified)?;
    if *is_last {
        compare_last(&again, attempt, key, verified)?;
    }
    Ok(())
}

fn is_of_holders(score: &Score) -> bool {
    score.name == ScoreName::SameHolder
}

fn compare_scores(again: &Again, verified: &mut VerifiedDecision) -> Result<(), StoreError> {
    let shown = |score: Option<&&Score>| {
        score.map_or_else(
            || NONE.to_owned(),
            |score| {
                let passed = if score.passed { "passed" } else { "failed" };
                format!("{} {}, limit {}, {passed}", score.name, score.value, score.threshold)
            },
        )
    };
    let now = as_stored(&again.decision.scores)?;
    let recorded: Vec<&Score> = again
        .recorded
        .scores
        .iter()
        .filter(|score| !is_of_holders(score))
        .collect();
    let now: Vec<&Score> = now.iter().collect();
    for place in 0..recorded.len().max(now.len()) {
        verified.note("score", shown(recorded.get(place)), shown(now.get(place)));
    }
    Ok(())
}

/// Compares what is stored with the session about its last attempt: the outcome that its tenant reads, and the readings.
fn compare_last(
    again: &Again,
    attempt: &AttemptState,
    key: &SessionKey,
    verified: &mut VerifiedDecision,
) -> Result<(), StoreError> {
    if let Some(outcome) = &attempt.row.outcome {
        // A reviewer's verdict and reasons follow from nothing that is stored.
        if outcome.source == Source::Automatic {
            verified.note("verdict of the outcome", outcome.verdict, again.decision.verdict);
            verified.note(
                "reasons of the outcome",
                listed(&outcome.reasons),
                listed(&again.decision.reasons),
            );
        }
        let checks = as_stored(&again.decision.checks)?;
        verified.note("checks of the outcome", json(&outcome.checks)?, json(&checks)?);
    }
    let associated_data = attempt.row.associated_data(SealedValue::Ocr);
    let readings = open_column::<Vec<OcrField>>(key, &associated_data, attempt.row.ocr.as_ref())?;
    let (recorded, now) = (readings.map(Personal::into_exposed), again.found.fields());
    if recorded != now {
        // Only which items differ: what they say is personal.
        let beyond = |these: &Option<Vec<OcrField>>, those: &Option<Vec<OcrField>>| {
            let those = those.as_deref().unwrap_or_default();
            let these = these.iter().flatten().filter(|field| !those.contains(field));
            listed(these.map(|field| field.name))
        };
        verified.differences.push(Difference::Recorded {
            what: "readings",
            recorded: beyond(&recorded, &now),
            again: beyond(&now, &recorded),
        });
    }
    Ok(())
}

const NONE: &str = "none";

fn listed<T: Display>(items: impl IntoIterator<Item = T>) -> String {
    let items: Vec<String> = items.into_iter().map(|item| item.to_string()).collect();
    if items.is_empty() {
        NONE.to_owned()
    } else {
        items.join(", ")
    }
}

fn json<T: Serialize>(value: &T) -> Result<String, StoreError> {
    serde_json::to_string(value).map_err(|_| StoreError::Corrupt("a value that is not JSON"))
}

/// A value as it would be if it had been stored and read: the last digit of a number may be lost.
fn as_stored<T: Serialize + DeserializeOwned>(value: &T) -> Result<T, StoreError> {
    serde_json::from_str(&json(value)?).map_err(|_| StoreError::Corrupt("a value that does not parse"))
}

impl VerifiedDecision {
    /// Notes what is recorded and what was decided again, if they differ.
    fn note(&mut self, what: &'static str, recorded: impl Display, again: impl Display) {
        let (recorded, again) = (recorded.to_string(), again.to_string());
        if recorded != again {
            self.differences.push(Difference::Recorded { what, recorded, again });
        }
    }
}
