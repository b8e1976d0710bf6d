//! The people of a tenant's console: adding them, changing what they may do, shutting them out.

use crate::{
    Honnin,
    access::{Admin, Operator},
    password::{self, BadPassword},
};
use domain::{
    ids::{TenantId, UserId},
    secret::Secret,
};
use store::{
    StoreError, audit, console_sessions, tenants,
    users::{self, Role, UserRow},
};

/// Somebody to be added.
#[derive(Clone, Debug)]
pub struct NewPerson {
    /// Signs in with it; case does not matter.
    pub email: String,
    /// How colleagues see them.
    pub name: String,
    /// What they may do.
    pub role: Role,
    /// Their first password.
    pub password: Secret<String>,
}

/// What is wrong with a person's data.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BadField {
    /// `email`, `name`, `password` or `organisation`.
    pub field: &'static str,
    /// A sentence.
    pub message: String,
}

/// Why nobody was added or changed.
#[derive(Clone, Debug, thiserror::Error)]
pub enum PeopleError {
    /// The data is not right.
    #[error("the data is not right")]
    Bad(Vec<BadField>),
    /// No such person here.
    #[error("no such person")]
    NotFound,
    /// It would leave the tenant without anybody who may do everything.
    #[error("the last admin stays")]
    LastAdmin,
    /// Storage.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Lower case without blanks around it.
pub(crate) fn normalised(email: &str) -> String {
    email.trim().to_lowercase()
}

/// Everything wrong with a person's data.
pub(crate) fn faults(person: &NewPerson) -> Vec<BadField> {
    let mut faults = Vec::new();
    let email = normalised(&person.email);
    let whole = email.split_once('@').is_some_and(|(local, domain)| {
        !local.is_empty() && domain.contains('.') && !domain.starts_with('.') && !domain.ends_with('.')
    });
    if !whole || email.len() > 254 || email.chars().any(|c| c.is_whitespace() || c.is_control()) {
        faults.push(BadField {
            field: "email",
            message: "Enter an e-mail address, like name@example.com.".into(),
        });
    }
    let name = person.name.trim();
    if name.is_empty() || name.chars().count() > 100 || name.chars().any(char::is_control) {
        faults.push(BadField {
            field: "name",
            message: "Enter a name of up to 100 characters.".into(),
        });
    }
    if let Some(message) = password_fault(&email, person.password.expose()) {
        faults.push(BadField {
            field: "password",
            message,
        });
    }
    faults
}

/// What is wrong with a new password of whoever signs in with `email`, as a sentence.
pub(crate) fn password_fault(email: &str, password: &str) -> Option<String> {
    if let Err(bad) = password::check(password) {
        return Some(sentence(bad));
    }
    let (own, local) = (
        password.trim().to_lowercase(),
        email.split('@').next().unwrap_or_default(),
    );
    (own == email || own == local).then(|| "Choose a password that is not your address.".to_owned())
}

fn sentence(bad: BadPassword) -> String {
    format!("The password {bad}.")
}

/// The row of a person whose data is right.
pub(crate) async fn row(
    honnin: &Honnin,
    place: Option<(TenantId, Role)>,
    person: NewPerson,
    operator: bool,
) -> UserRow {
    UserRow {
        id: UserId::from_random(honnin.random_bytes()),
        place,
        email: normalised(&person.email),
        name: person.name.trim().to_owned(),
        operator,
        password: password::hash(person.password).await,
        created_at: honnin.now(),
        disabled_at: None,
    }
}

/// A tenant's people, oldest first.
///
/// # Errors
/// When the database does not answer.
pub async fn list_people(honnin: &Honnin, admin: &Admin) -> Result<Vec<UserRow>, StoreError> {
    let tenant = admin.staff().tenant().clone();
    let unit = honnin.db.read(move |tx| {
        let tenant = tenant.clone();
        Box::pin(async move { users::list(tx, &tenant).await })
    });
    unit.await
}

/// Adds somebody to the admin's tenant.
///
/// # Errors
/// [`PeopleError`].
pub async fn add_person(honnin: &Honnin, admin: &Admin, person: NewPerson) -> Result<UserId, PeopleError> {
    let staff = admin.staff().clone();
    let tenant = staff.tenant().clone();
    let now = honnin.now();
    insert(honnin, tenant, person, move |user| {
        let mut entry = staff.entry(now, "person.add", Some(user.id.to_string()));
        entry.detail = user.place.as_ref().map(|(_, role)| role.as_str().to_owned());
        entry
    })
    .await
}

/// Adds somebody to any tenant, for whoever runs the installation.
///
/// # Errors
/// [`PeopleError`]; [`PeopleError::NotFound`] where there is no such tenant.
pub async fn add_person_to(
    honnin: &Honnin,
    operator: &Operator,
    tenant: &TenantId,
    person: NewPerson,
) -> Result<UserId, PeopleError> {
    let (operator, tenant, now) = (operator.clone(), tenant.clone(), honnin.now());
    let place = tenant.clone();
    insert(honnin, place, person, move |user| {
        operator.entry(now, &tenant, "person.add", user.id.to_string())
    })
    .await
}

async fn insert(
    honnin: &Honnin,
    tenant: TenantId,
    person: NewPerson,
    entry: impl Fn(&UserRow) -> audit::Entry,
) -> Result<UserId, PeopleError> {
    let faults = faults(&person);
    if !faults.is_empty() {
        return Err(PeopleError::Bad(faults));
    }
    let user = row(honnin, Some((tenant.clone(), person.role)), person, false).await;
    let (id, entry) = (user.id.clone(), entry(&user));
    let unit = honnin.db.write::<_, PeopleError, _>(move |tx| {
        let (user, entry, tenant) = (user.clone(), entry.clone(), tenant.clone());
        Box::pin(async move {
            tenants::find(tx, &tenant).await?.ok_or(PeopleError::NotFound)?;
            if users::find_by_email(tx, &user.email).await?.is_some() {
                let message = "Somebody with this address is already there.".to_owned();
                return Err(PeopleError::Bad(vec![BadField {
                    field: "email",
                    message,
                }]));
            }
            users::insert(tx, &user).await?;
            audit::record(tx, &entry).await?;
            Ok(())
        })
    });
    unit.await?;
    Ok(id)
}

/// A change to a person.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    /// What they may do.
    Role(Role),
    /// Shuts them out and ends their sessions, or lets them in again.
    Disabled(bool),
}

/// Changes somebody of the admin's tenant.
///
/// # Errors
/// [`PeopleError`].
pub async fn change_person(honnin: &Honnin, admin: &Admin, id: &UserId, change: Change) -> Result<(), PeopleError> {
    let (staff, id, now) = (admin.staff().clone(), id.clone(), honnin.now());
    let unit = honnin.db.write::<_, PeopleError, _>(move |tx| {
        let (staff, id) = (staff.clone(), id.clone());
        Box::pin(async move {
            tenants::hold(tx, staff.tenant()).await?;
            let people = users::list(tx, staff.tenant()).await?;
            let mut user = people
                .iter()
                .find(|user| user.id == id)
                .cloned()
                .ok_or(PeopleError::NotFound)?;
            match (change, &mut user.place) {
                (Change::Role(role), Some((_, own))) => *own = role,
                (Change::Role(_), None) => return Err(PeopleError::NotFound),
                (Change::Disabled(disabled), _) => user.disabled_at = disabled.then_some(now),
            }
            let is_admin = |user: &UserRow| {
                user.disabled_at.is_none() && user.place.as_ref().is_some_and(|(_, role)| *role == Role::Admin)
            };
            let others = people.iter().filter(|other| other.id != id);
            if !is_admin(&user) && !others.clone().any(is_admin) {
                return Err(PeopleError::LastAdmin);
            }
            users::save(tx, &user).await?;
            if user.disabled_at.is_some() {
                console_sessions::delete_of(tx, &id).await?;
            }
            let mut entry = staff.entry(now, "person.change", Some(id.to_string()));
            entry.detail = Some(match change {
                Change::Role(role) => role.as_str().to_owned(),
                Change::Disabled(true) => "disabled".to_owned(),
                Change::Disabled(false) => "enabled".to_owned(),
            });
            audit::record(tx, &entry).await?;
            Ok(())
        })
    });
    unit.await
}
