//! Inviting people to the console. The inviter sets name, address and role; the link lets the person choose a password that
//! nobody else knows ([`crate::people::accept_invitation`]). It works once, within 72 hours, and only its token's hash is stored.

use crate::{
    Honnin,
    access::{CommandLine, Forbidden, Rank, Roster, Staff},
    people::{
        self, BadField, NewPerson, has_admin, is_still, normalised,
        try_counter::{after_count, counter_name},
    },
    runtime::token,
};
use domain::{
    audit::AuditAction,
    audit_detail::DetailWord,
    ids::{InvitationId, TenantId},
    role::{Membership, Role},
    secret::Secret,
    time::Timestamp,
};
use store::{
    StoreError, Tx, audit,
    people::{
        LINK_LIFETIME,
        invitations::{self, InvitationRow},
        try_counters, users,
    },
    settings::tenants,
};

/// Addresses with an account that one tenant's people may try to invite in a window. Each tells them that somebody has one, perhaps in another
/// tenant, and nobody needs to ask for many.
const TAKEN_LIMIT: i64 = 5;

/// An invitation just created.
#[derive(Clone, Debug)]
pub struct Invited {
    /// Its id.
    pub id: InvitationId,
    /// The link, shown only once.
    pub link: Secret<String>,
    /// Until when it can be opened.
    pub expires_at: Timestamp,
}

/// Why nobody was invited.
#[derive(Clone, Debug, thiserror::Error)]
pub enum InviteError {
    /// The data is invalid.
    #[error("the data is invalid")]
    Bad(Vec<BadField>),
    /// An operator may invite only the first admin of another tenant.
    #[error("only an admin of the tenant may invite this person")]
    Forbidden,
    /// There is no such tenant.
    #[error("there is no such tenant")]
    NoTenant,
    /// The invitation was made before, and its link shown then.
    #[error("the invitation was already created")]
    Repeated,
    /// Too many addresses that have an account; this one was not looked for.
    #[error("too many attempts")]
    Throttled,
    /// Storage.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// The id of an invitation that a page offers to make.
#[must_use]
pub fn draft_invitation(honnin: &Honnin) -> InvitationId {
    InvitationId::from_random(honnin.random_bytes())
}

/// Invites a person to the tenant that the inviter works in. An invitation that is asked for twice, by its id from
/// [`draft_invitation`], is made once.
///
/// # Errors
/// [`InviteError`].
pub async fn invite(
    honnin: &Honnin,
    roster: &Roster,
    id: InvitationId,
    person: NewPerson,
    role: Role,
) -> Result<Invited, InviteError> {
    let staff = roster.staff().clone();
    let first_admin = match staff.rank() {
        // Nobody grants a role above their own, and none is above admin.
        Rank::Role(_) => false,
        Rank::Operator if role == Role::Admin => true,
        Rank::Operator => return Err(InviteError::Forbidden),
    };
    let draft = Draft {
        id,
        offer: Offer::of(staff.tenant().clone(), role),
        invited_by: Some(staff.clone()),
        first_admin,
    };
    let now = honnin.now();
    store(honnin, draft, person, move |id| {
        staff.entry(now, AuditAction::PersonInvite).about(id)
    })
    .await
}

/// What an invited person becomes: a member of a tenant, an operator of the installation, or both.
#[derive(Clone, Debug)]
pub struct Offer {
    /// Their tenant and role.
    pub membership: Option<Membership>,
    /// Whether they become an operator.
    pub operator: bool,
}

impl Offer {
    /// Membership in a tenant, and nothing else.
    #[must_use]
    pub const fn of(tenant: TenantId, role: Role) -> Self {
        Self {
            membership: Some(Membership { tenant, role }),
            operator: false,
        }
    }

    /// The operation of the installation, in no tenant.
    #[must_use]
    pub const fn operator() -> Self {
        Self {
            membership: None,
            operator: true,
        }
    }
}

/// Invites a person from the command line.
///
/// # Errors
/// [`InviteError`].
pub async fn invite_from_here(
    honnin: &Honnin,
    here: CommandLine,
    offer: Offer,
    person: NewPerson,
) -> Result<Invited, InviteError> {
    let tenant = offer.membership.as_ref().map(|membership| membership.tenant.clone());
    let draft = Draft {
        id: draft_invitation(honnin),
        offer,
        invited_by: None,
        first_admin: false,
    };
    let now = honnin.now();
    store(honnin, draft, person, move |id| {
        here.entry(now, AuditAction::PersonInvite)
            .in_tenant(tenant.clone())
            .about(id)
    })
    .await
}

struct Draft {
    id: InvitationId,
    offer: Offer,
    invited_by: Option<Staff>,
    first_admin: bool,
}

/// Adds the role offered to an entry of the audit log.
pub(crate) fn with_role(entry: audit::Entry, row: &InvitationRow) -> audit::Entry {
    match (row.role().map(Role::as_str), row.operator) {
        (Some(role), true) => entry.with_detail(format_args!("{role},{}", DetailWord::Operator)),
        (None, true) => entry.with_detail(DetailWord::Operator),
        (Some(role), false) => entry.with_detail(role),
        (None, false) => entry,
    }
}

/// What is stored of an invitation whose link has this token.
fn row_of(draft: Draft, person: &NewPerson, token: &Secret<String>, now: Timestamp) -> InvitationRow {
    InvitationRow {
        id: draft.id,
        hash: token::hash(token.expose()),
        membership: draft.offer.membership,
        operator: draft.offer.operator,
        email: normalised(&person.email),
        name: person.name.trim().to_owned(),
        invited_by: draft.invited_by.map(|staff| staff.user().clone()),
        first_admin: draft.first_admin,
        created_at: now,
        expires_at: now.plus(LINK_LIFETIME),
    }
}

/// Checks and stores an invitation, and counts whose address has an account.
async fn store(
    honnin: &Honnin,
    draft: Draft,
    person: NewPerson,
    entry: impl Fn(&InvitationId) -> audit::Entry,
) -> Result<Invited, InviteError> {
    let faults = people::faults(&person);
    if !faults.is_empty() {
        return Err(InviteError::Bad(faults));
    }
    let (token, now) = (token::generate(&*honnin.random), honnin.now());
    let inviter = draft.invited_by.clone();
    let row = row_of(draft, &person, &token, now);
    let entry = with_role(entry(&row.id), &row);
    let invited = Invited {
        id: row.id.clone(),
        link: Secret::new(format!("{}admin/invitation/{}", honnin.base_url(), token.expose())),
        expires_at: row.expires_at,
    };
    let Some(staff) = &inviter else {
        // On the command line, nobody guesses.
        store_row(honnin, None, row, entry).await?;
        return Ok(invited);
    };
    // Counted first, so that concurrent attempts keep within the limit.
    let tries = counter_name("invitation", [staff.tenant().as_str(), ""]);
    let (limits, system) = (vec![(tries.clone(), TAKEN_LIMIT)], honnin.clone());
    // Whoever sends a form twice hangs up on the first: a few such forms would use up what the whole tenant may ask.
    let work = async move {
        let stored = store_row(&system, inviter, row, entry).await;
        if !matches!(stored, Err(InviteError::Bad(_))) {
            take_back(&system, tries, now).await;
        }
        stored
    };
    after_count(honnin, limits, now, InviteError::Throttled, work).await?;
    Ok(invited)
}

/// Stores an invitation if `inviter` still may invite; on the command line there is none.
async fn store_row(
    honnin: &Honnin,
    inviter: Option<Staff>,
    row: InvitationRow,
    entry: audit::Entry,
) -> Result<(), InviteError> {
    let unit = honnin.db.write(async move |tx| {
        // Of two who invite one address at once, the second sees the link of the first and invalidates it.
        if let Some(tenant) = row.tenant() {
            tenants::lock(tx, tenant).await?;
        }
        if let Some(staff) = &inviter
            && !is_still(tx, staff).await?
        {
            return Err(InviteError::Forbidden);
        }
        insert(tx, &row, &entry).await
    });
    match unit.await {
        // Sent twice at the same time.
        Err(InviteError::Store(StoreError::Duplicate)) => Err(InviteError::Repeated),
        other => other,
    }
}

/// Uncounts an attempt that has not said who has an account. At worst it stays counted: the link is shown all the same.
async fn take_back(honnin: &Honnin, tries: Vec<u8>, counted_at: Timestamp) {
    let unit = honnin
        .db
        .write(async move |tx| try_counters::take_back(tx, &tries, counted_at).await);
    if let Err(error) = unit.await {
        tracing::warn!(%error, "cannot take back a counted invitation");
    }
}

async fn insert(tx: &mut Tx, row: &InvitationRow, entry: &audit::Entry) -> Result<(), InviteError> {
    let tenant = row.tenant();
    if let Some(tenant) = tenant {
        tenants::find(tx, tenant).await?.ok_or(InviteError::NoTenant)?;
        if row.first_admin && has_admin(tx, tenant).await? {
            return Err(InviteError::Forbidden);
        }
    }
    // Also once it was revoked or accepted, which leaves no row.
    if audit::is_done_since(tx, AuditAction::PersonInvite, row.id.as_str(), 0).await? {
        return Err(InviteError::Repeated);
    }
    if users::find_by_email(tx, &row.email).await?.is_some() {
        return Err(InviteError::Bad(vec![BadField::Taken]));
    }
    // A new link invalidates a lost one.
    invitations::revoke_to(tx, tenant, &row.email).await?;
    invitations::insert(tx, row).await?;
    Ok(audit::record(tx, entry).await?)
}

/// The tenant's open invitations, oldest first.
///
/// # Errors
/// If the database does not respond.
pub async fn list_invitations(honnin: &Honnin, roster: &Roster) -> Result<Vec<InvitationRow>, StoreError> {
    let (tenant, now) = (roster.staff().tenant().clone(), honnin.now());
    let unit = honnin
        .db
        .read(async move |tx| invitations::list(tx, &tenant, now).await);
    unit.await
}

/// Why no invitation was revoked.
#[derive(Clone, Debug, thiserror::Error)]
pub enum RevokeInvitationError {
    /// The caller has lost the role that allows this, or has been signed out.
    #[error(transparent)]
    Forbidden(#[from] Forbidden),
    /// Storage.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Revokes an invitation of the tenant. Returns whether there was one to revoke.
///
/// # Errors
/// [`RevokeInvitationError`].
pub async fn revoke_invitation(
    honnin: &Honnin,
    roster: &Roster,
    id: &InvitationId,
) -> Result<bool, RevokeInvitationError> {
    let (staff, id, now) = (roster.staff().clone(), id.clone(), honnin.now());
    let unit = honnin.db.write(async move |tx| {
        if !is_still(tx, &staff).await? {
            return Err(RevokeInvitationError::from(Forbidden));
        }
        let revoked = invitations::revoke(tx, staff.tenant(), &id).await?;
        if revoked {
            let entry = staff.entry(now, AuditAction::PersonRevokeInvitation).about(&id);
            audit::record(tx, &entry).await?;
        }
        Ok(revoked)
    });
    unit.await
}
