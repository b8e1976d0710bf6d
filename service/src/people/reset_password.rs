//! Password reset by a link. An admin creates the link for a colleague, or somebody creates it on the command line; it works
//! once, within 72 hours, and only its token's hash is stored. Nobody can create one for a person with more rights, because the
//! link lets its holder in.

use crate::{
    Honnin,
    access::{Admin, CommandLine, Roster, Staff},
    people::{
        PeopleError, check_may_act_on, console_session, is_unchanged,
        known_browser::Client,
        links, normalised, organisation,
        password::{self, BadPassword},
        pending_sign_in::{self, AfterFirstFactor, FirstFactor},
        visit,
    },
    runtime::token::{self, NotAToken},
};
use domain::{audit::AuditAction, audit_detail::DetailWord, ids::UserId, secret::Secret, time::Timestamp};
use std::net::IpAddr;
use store::{
    StoreError, Tx, audit,
    people::{
        LINK_LIFETIME,
        password_resets::{self, ResetRow},
        users::{self, UserRow},
    },
    settings::tenants,
};

/// A link just created.
#[derive(Clone, Debug)]
pub struct ResetLink {
    /// The link, shown only once.
    pub link: Secret<String>,
    /// Whose password it resets.
    pub name: String,
    /// Until when it can be opened.
    pub expires_at: Timestamp,
}

/// Why the password was not changed.
#[derive(Clone, Debug, thiserror::Error)]
pub enum ResetError {
    /// Unknown, used, replaced or expired, or its owner is disabled, without saying which.
    #[error("the link is not valid")]
    Closed,
    /// The new password is not acceptable.
    #[error(transparent)]
    Bad(BadPassword),
    /// Storage.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl From<NotAToken> for ResetError {
    fn from(_: NotAToken) -> Self {
        Self::Closed
    }
}

/// How a person is identified.
#[derive(Debug)]
enum Whose {
    Id(UserId),
    Email(String),
}

/// How far the audit log of the tenant has come, for a page that offers links: [`issue_reset`] issues none if the person got one after that. So the
/// same form issues one link only, however often it is sent. How far that of others has come would tell how much happens there.
///
/// # Errors
/// If the database does not respond.
pub async fn newest_entry(honnin: &Honnin, roster: &Roster) -> Result<i64, StoreError> {
    let tenant = roster.staff().tenant().clone();
    let unit = honnin.db.read(async move |tx| audit::find_newest(tx, &tenant).await);
    unit.await
}

/// Creates a link for a colleague of the admin's tenant, unless they got one after the entry `seen`.
///
/// # Errors
/// [`PeopleError::NotFound`] if there is none, if they are disabled, or if it is the admin (who changes their own password with
/// the current one); [`PeopleError::Above`] for an operator, unless the admin is one; [`PeopleError::Repeated`];
/// [`PeopleError::NoPasswords`] where people sign in with the provider only.
pub async fn issue_reset(
    honnin: &Honnin,
    admin: &Admin,
    id: &UserId,
    seen: Option<i64>,
) -> Result<ResetLink, PeopleError> {
    if !honnin.allows_local_sign_in() {
        return Err(PeopleError::NoPasswords);
    }
    let (staff, now) = (admin.staff().clone(), honnin.now());
    let by = Some(staff.clone());
    issue(honnin, Whose::Id(id.clone()), by, seen, move |user| {
        check_may_act_on(&staff, user)?;
        Ok(staff.entry(now, AuditAction::PersonIssueReset).about(&user.id))
    })
    .await
}

/// Creates a link for the person who signs in with `email`, on the command line.
///
/// # Errors
/// [`PeopleError::NotFound`] if there is no such account, or it is disabled.
pub async fn issue_reset_from_here(honnin: &Honnin, here: CommandLine, email: &str) -> Result<ResetLink, PeopleError> {
    let now = honnin.now();
    issue(honnin, Whose::Email(normalised(email)), None, None, move |user| {
        let tenant = user.tenant().cloned();
        Ok(here
            .entry(now, AuditAction::PersonIssueReset)
            .in_tenant(tenant)
            .about(&user.id))
    })
    .await
}

async fn issue(
    honnin: &Honnin,
    whose: Whose,
    issued_by: Option<Staff>,
    seen: Option<i64>,
    allow: impl Fn(&UserRow) -> Result<audit::Entry, PeopleError> + Send + 'static,
) -> Result<ResetLink, PeopleError> {
    let (token, expires_at) = (token::generate(&*honnin.random), honnin.now().plus(LINK_LIFETIME));
    let hash = token::hash(token.expose());
    let unit = honnin.db.write(async move |tx| {
        if let Some(staff) = &issued_by {
            // As in `change_person`. A unit that makes the person an operator waits as well, and then finds this link to revoke.
            tenants::lock(tx, staff.tenant()).await?;
            if !is_unchanged(staff, users::find(tx, staff.user()).await?.as_ref()) {
                return Err(PeopleError::Forbidden);
            }
        }
        let found = match &whose {
            Whose::Id(id) => users::find(tx, id).await?,
            Whose::Email(email) => users::find_by_email(tx, email).await?,
        };
        let user = found
            .filter(|user| user.disabled_at.is_none())
            .ok_or(PeopleError::NotFound)?;
        let entry = allow(&user)?;
        if let Some(seen) = seen
            && audit::is_done_since(tx, AuditAction::PersonIssueReset, user.id.as_str(), seen).await?
        {
            return Err(PeopleError::Repeated);
        }
        let row = ResetRow {
            user: user.id,
            hash: hash.clone(),
            issued_by: issued_by.as_ref().map(|staff| staff.user().clone()),
            expires_at,
        };
        password_resets::put(tx, &row).await?;
        audit::record(tx, &entry).await?;
        Ok::<_, PeopleError>(user.name)
    });
    let name = unit.await?;
    let link = Secret::new(format!("{}admin/reset/{}", honnin.base_url(), token.expose()));
    Ok(ResetLink { link, name, expires_at })
}

async fn owner(tx: &mut Tx, id: Option<UserId>) -> Result<UserRow, ResetError> {
    let user = match id {
        Some(id) => users::find(tx, &id).await?,
        None => None,
    };
    user.filter(|user| user.disabled_at.is_none()).ok_or(ResetError::Closed)
}

/// Where people sign in with the provider only, a link from the command line still lets its holder in, for when the provider is away;
/// one of a colleague, made before, does not.
async fn check_is_from_command_line(tx: &mut Tx, hash: &[u8]) -> Result<(), ResetError> {
    if password_resets::is_from_command_line(tx, hash).await? {
        Ok(())
    } else {
        Err(ResetError::Closed)
    }
}

/// The e-mail address that the page of an open link shows.
///
/// # Errors
/// [`ResetError::Closed`], or storage.
pub async fn open_reset(honnin: &Honnin, token: &str) -> Result<String, ResetError> {
    Ok(find_open(honnin, token).await?.owner.email)
}

/// A link that is open.
struct OpenReset {
    owner: UserRow,
    /// The name of the owner's organisation; `None` for an operator without one.
    organisation: Option<String>,
}

async fn find_open(honnin: &Honnin, token: &str) -> Result<OpenReset, ResetError> {
    let (hash, now) = (token::hash_presented(token)?, honnin.now());
    let passwords = honnin.allows_local_sign_in();
    let unit = honnin.db.read(async move |tx| {
        let id = password_resets::find_open(tx, &hash, now).await?;
        if !passwords {
            check_is_from_command_line(tx, &hash).await?;
        }
        let owner = owner(tx, id).await?;
        Ok(OpenReset {
            organisation: organisation(tx, owner.tenant()).await?,
            owner,
        })
    });
    unit.await
}

/// Changes the password of the link's owner, ends all their sessions, and withdraws the links that they made.
///
/// # Errors
/// [`ResetError`]; after any but [`ResetError::Closed`] the link remains valid.
pub async fn reset_password(
    honnin: &Honnin,
    token: &str,
    password: Secret<String>,
    address: IpAddr,
) -> Result<(), ResetError> {
    if !honnin.allows_local_sign_in() {
        return Err(ResetError::Bad(BadPassword::Unused));
    }
    let (hash, now) = (token::hash_presented(token)?, honnin.now());
    let OpenReset {
        owner: user,
        organisation,
    } = find_open(honnin, token).await?;
    let known = [&*user.email, &user.name, organisation.as_deref().unwrap_or_default()];
    password::check(password.expose(), &known).map_err(ResetError::Bad)?;
    let phc = password::hash(password).await?;
    let unit = honnin.db.write(async move |tx| {
        links::lock(tx, user.tenant()).await?;
        // The person before their link, as wherever links end with somebody's sessions.
        users::lock(tx, &user.id).await?;
        let id = password_resets::take(tx, &hash, now).await?;
        let user = owner(tx, id).await?;
        users::set_password(tx, &user.id, &phc).await?;
        console_session::end_all(tx, &user.id, now).await?;
        let entry = visit::entry_by(&user, now, AuditAction::PersonResetPassword).from_address(address);
        Ok(audit::record(tx, &entry).await?)
    });
    unit.await
}

/// Signs the owner of a link from the command line in, once, where people sign in with the provider only. Their second factor is
/// asked for all the same.
///
/// # Errors
/// [`ResetError::Closed`], where people have passwords as well; or storage.
pub async fn sign_in_by_link(honnin: &Honnin, token: &str, client: &Client) -> Result<AfterFirstFactor, ResetError> {
    if honnin.allows_local_sign_in() {
        return Err(ResetError::Closed);
    }
    let (hash, now, client) = (token::hash_presented(token)?, honnin.now(), client.clone());
    let unit = honnin.db.write(async move |tx| {
        check_is_from_command_line(tx, &hash).await?;
        // The person before their link, as wherever links end with somebody's sessions: nobody comes in who is being shut out.
        if let Some(id) = password_resets::find_open(tx, &hash, now).await? {
            users::lock(tx, &id).await?;
        }
        let id = password_resets::take(tx, &hash, now).await?;
        let user = owner(tx, id).await?;
        let entry = visit::entry_by(&user, now, AuditAction::PersonSignIn)
            .with_detail(DetailWord::CommandLineLink)
            .from_address(client.address);
        Ok(pending_sign_in::enter(tx, &user, &entry, &client, &FirstFactor::default()).await?)
    });
    unit.await
}
