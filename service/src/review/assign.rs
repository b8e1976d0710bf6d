//! Assigning a case to a reviewer, to oneself or to nobody. An assignment says who is to decide a case, but does not prevent
//! others from deciding it; the reservation does that while somebody is working on it.

use crate::{Honnin, access::Reviewer, people::may_review};
use domain::{
    audit::AuditAction,
    audit_detail::DetailWord,
    ids::{SessionId, UserId},
    session::Status,
};
use store::{
    StoreError, audit,
    people::{Colleague, users},
    review,
    session::sessions,
};

/// Why a case was not assigned.
#[derive(Clone, Debug, thiserror::Error)]
pub enum AssignError {
    /// No such session in this tenant.
    #[error("no such case")]
    NotFound,
    /// It is no longer waiting for review.
    #[error("the case is no longer waiting for review")]
    NotWaiting,
    /// Somebody else has assigned it since the caller looked: to this person, or to nobody.
    #[error("the case was assigned in the meantime")]
    Changed(Option<String>),
    /// The person does not review cases of this tenant.
    #[error("this person does not review cases here")]
    NoReviewer,
    /// Storage.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// To whom a case passes; `None` stands for nobody.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reassignment<'a> {
    /// Who had it when the caller looked: of two who take the same case, the second is told who was first.
    pub from: Option<&'a UserId>,
    /// Who gets it.
    pub to: Option<&'a UserId>,
}

/// Assigns a case to a person, or to nobody.
///
/// # Errors
/// [`AssignError`].
pub async fn assign(
    honnin: &Honnin,
    reviewer: &Reviewer,
    id: &SessionId,
    Reassignment { from, to }: Reassignment<'_>,
) -> Result<(), AssignError> {
    let (staff, id, now) = (reviewer.staff().clone(), id.clone(), honnin.now());
    let (from, to) = (from.cloned(), to.cloned());
    let unit = honnin.db.write(async move |tx| {
        let mut row = sessions::find(tx, staff.tenant(), &id)
            .await?
            .ok_or(AssignError::NotFound)?;
        if row.session.status != Status::Reviewing {
            return Err(AssignError::NotWaiting);
        }
        // Of two at the same time, one runs again and sees what the other did.
        sessions::save(tx, &mut row).await?;
        let now_with = review::find_assignee(tx, &id).await?;
        if now_with.as_ref().map(|colleague| &colleague.id) != from.as_ref() {
            return Err(AssignError::Changed(now_with.map(|colleague| colleague.name)));
        }
        match &to {
            None => review::unassign(tx, &id).await?,
            Some(user) => {
                // Disabling the person unassigns their cases: either before this, or afterwards and this one too.
                users::lock(tx, user).await?;
                let found = users::find(tx, user).await?.filter(may_review);
                if found.is_none_or(|found| found.tenant() != Some(staff.tenant())) {
                    return Err(AssignError::NoReviewer);
                }
                review::assign(tx, &id, user, now).await?;
            }
        }
        let name = |user: Option<&UserId>| user.map_or_else(|| DetailWord::Nobody.to_string(), UserId::to_string);
        let change = format!("{} → {}", name(from.as_ref()), name(to.as_ref()));
        let entry = staff.entry(now, AuditAction::CaseAssign).about(&id);
        audit::record(tx, &entry.with_detail(change)).await?;
        Ok(())
    });
    unit.await
}

/// The people whom a case can be assigned to, in the order of their names.
///
/// # Errors
/// If the database does not respond.
pub async fn list_reviewers(honnin: &Honnin, reviewer: &Reviewer) -> Result<Vec<Colleague>, StoreError> {
    let tenant = reviewer.staff().tenant().clone();
    let people = honnin.db.read(async move |tx| users::list(tx, &tenant).await).await?;
    let mut reviewers: Vec<_> = people
        .into_iter()
        .filter(may_review)
        .map(|user| Colleague {
            id: user.id,
            name: user.name,
        })
        .collect();
    reviewers.sort_by(|one, other| one.name.cmp(&other.name));
    Ok(reviewers)
}
