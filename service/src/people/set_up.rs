//! The first account: created through a one-time link that is printed while there are no accounts. The link is stored as a
//! hash, survives restarts, and becomes invalid once an account exists.

use crate::{
    Honnin,
    people::{
        self, BadField, NewPerson,
        known_browser::Client,
        normalised, password,
        visit::{self, Entrance},
    },
    runtime::token::{self, NotAToken},
};
use domain::{
    audit::AuditAction,
    ids::{TenantId, UserId},
    role::{Membership, Role},
    secret::Secret,
    tenant::{Mode, TenantSettings, tenant_name_fault},
};
use store::{
    StoreError, Tx,
    audit::Entry,
    people::{
        set_up_links,
        users::{self, UserRow},
    },
    settings::tenants::{self, TenantRow},
};

/// The first person, and their organisation's name if there is no tenant yet.
#[derive(Clone, Debug)]
pub struct SetUp {
    /// Name of the tenant to create; ignored if there is one.
    pub organisation: String,
    /// E-mail address used to sign in.
    pub email: String,
    /// Name shown to colleagues.
    pub name: String,
    /// Their password.
    pub password: Secret<String>,
}

/// Why no account was created.
#[derive(Clone, Debug, thiserror::Error)]
pub enum SetUpError {
    /// The link is unknown or was used.
    #[error("the set-up link is not valid")]
    Closed,
    /// The data is invalid.
    #[error("the data is invalid")]
    Bad(Vec<BadField>),
    /// Storage.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl From<NotAToken> for SetUpError {
    fn from(_: NotAToken) -> Self {
        Self::Closed
    }
}

/// A new set-up link if there is no account yet, to be printed at start. Earlier links remain valid until one is used.
///
/// # Errors
/// If the database does not respond.
pub async fn set_up_link(honnin: &Honnin) -> Result<Option<Secret<String>>, StoreError> {
    let token = token::generate(&*honnin.random);
    let (hash, now) = (token::hash(token.expose()), honnin.now());
    let unit = honnin.db.write(async move |tx| {
        if users::exist(tx).await? {
            return Ok(false);
        }
        set_up_links::insert(tx, &hash, now).await?;
        Ok::<_, StoreError>(true)
    });
    let open = unit.await?;
    Ok(open.then(|| Secret::new(format!("{}admin/set-up/{}", honnin.base_url(), token.expose()))))
}

/// What the page of an open link shows: the name of the existing tenant, or that one will be created.
///
/// # Errors
/// [`SetUpError::Closed`], or storage.
pub async fn open_set_up(honnin: &Honnin, token: &str) -> Result<Option<String>, SetUpError> {
    let hash = token::hash_presented(token)?;
    let unit = honnin.db.read(async move |tx| {
        check_open(tx, &hash).await?;
        Ok(tenants::find_oldest(tx).await?.map(|tenant| tenant.name))
    });
    unit.await
}

async fn check_open(tx: &mut Tx, hash: &[u8]) -> Result<(), SetUpError> {
    let open = set_up_links::is_open(tx, hash).await? && !users::exist(tx).await?;
    open.then_some(()).ok_or(SetUpError::Closed)
}

/// Creates the first account: admin of the first tenant, which is created if there is none, and operator of the installation. They are signed
/// in with that: it is their first visit.
///
/// # Errors
/// [`SetUpError`].
pub async fn set_up(honnin: &Honnin, token: &str, form: SetUp, client: &Client) -> Result<Entrance, SetUpError> {
    let hash = token::hash_presented(token)?;
    let existing = open_set_up(honnin, token).await?;
    let organisation = form.organisation.trim().to_owned();
    let person = NewPerson {
        email: form.email,
        name: form.name,
    };
    let mut faults = people::faults(&person);
    let known = [
        &*person.email,
        &person.name,
        existing.as_deref().unwrap_or(&organisation),
    ];
    if let Err(bad) = password::check(form.password.expose(), &known) {
        faults.push(BadField::Password(bad));
    }
    if existing.is_none() && tenant_name_fault(&organisation).is_some() {
        faults.push(BadField::Organisation);
    }
    if !faults.is_empty() {
        return Err(SetUpError::Bad(faults));
    }
    let user = UserRow {
        id: UserId::from_random(honnin.random_bytes()),
        membership: None,
        email: normalised(&person.email),
        name: person.name.trim().to_owned(),
        operator: true,
        password: Some(password::hash(form.password).await?),
        created_at: honnin.now(),
        disabled_at: None,
        session_epoch: 0,
    };
    let fresh = TenantRow {
        id: TenantId::from_random(honnin.random_bytes()),
        name: organisation,
        settings: Some(TenantSettings::default()),
        mode: Mode::Live,
        created_at: honnin.now(),
        version: 0,
    };
    let client = client.clone();
    let unit = honnin.db.write(async move |tx| {
        let entry = make(tx, &hash, &user, &fresh).await?;
        Ok::<_, SetUpError>(visit::record(tx, &user.id, entry.from_address(client.address), &client).await?)
    });
    unit.await
}

/// Stores the account, and `fresh` unless there is a tenant. Returns what the caller has to record.
async fn make(tx: &mut Tx, hash: &[u8], user: &UserRow, fresh: &TenantRow) -> Result<Entry, SetUpError> {
    check_open(tx, hash).await?;
    let now = user.created_at;
    // Of two concurrent requests, the second waits here and is refused.
    if !set_up_links::close_all(tx, now).await? {
        return Err(SetUpError::Closed);
    }
    let tenant = match tenants::find_oldest(tx).await? {
        Some(tenant) => tenant.id,
        None => {
            tenants::insert(tx, fresh).await?;
            fresh.id.clone()
        }
    };
    let user = UserRow {
        membership: Some(Membership {
            tenant,
            role: Role::Admin,
        }),
        ..user.clone()
    };
    users::insert(tx, &user).await?;
    Ok(visit::entry_by(&user, now, AuditAction::InstallationSetUp).about(&user.id))
}
