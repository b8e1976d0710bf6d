//! Filters of the list of sessions that somebody has given a name. They are one person's convenience, so the audit log does not record them.

use crate::{Honnin, access::Staff};
pub use store::session::saved_filters::SavedFilter;
use store::{StoreError, session::saved_filters};

/// The longest name, in characters.
pub const LONGEST_NAME: usize = 40;
/// Filters of a person in a tenant. More would not be found faster than a new search.
pub const MAX_FILTERS: usize = 20;

/// Why a filter was not saved.
#[derive(Clone, Debug, thiserror::Error)]
pub enum SaveFilterError {
    /// The name is empty, too long, or has a character that cannot be seen.
    #[error("a name has 1 to {LONGEST_NAME} characters")]
    BadName,
    /// There are as many as there may be.
    #[error("there are {MAX_FILTERS} filters already")]
    TooMany,
    /// Storage.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// The filters of a person in the tenant that they work in, by name.
///
/// # Errors
/// If the database does not respond.
pub async fn list_filters(honnin: &Honnin, staff: &Staff) -> Result<Vec<SavedFilter>, StoreError> {
    let staff = staff.clone();
    let unit = honnin
        .db
        .read(async move |tx| saved_filters::list(tx, staff.tenant(), staff.user()).await);
    unit.await
}

/// Saves a filter, in place of the one of this name.
///
/// # Errors
/// [`SaveFilterError`].
pub async fn save_filter(honnin: &Honnin, staff: &Staff, filter: SavedFilter) -> Result<(), SaveFilterError> {
    let name = filter.name.trim().to_owned();
    if !domain::name::is_acceptable(&name, LONGEST_NAME) {
        return Err(SaveFilterError::BadName);
    }
    let (staff, filter) = (staff.clone(), SavedFilter { name, ..filter });
    let unit = honnin.db.write(async move |tx| {
        let before = saved_filters::list(tx, staff.tenant(), staff.user()).await?;
        if before.len() >= MAX_FILTERS && before.iter().all(|one| one.name != filter.name) {
            return Err(SaveFilterError::TooMany);
        }
        Ok(saved_filters::put(tx, staff.tenant(), staff.user(), &filter).await?)
    });
    unit.await
}

/// Removes a filter, if there is one of this name.
///
/// # Errors
/// If the database does not respond.
pub async fn remove_filter(honnin: &Honnin, staff: &Staff, name: &str) -> Result<(), StoreError> {
    let (staff, name) = (staff.clone(), name.to_owned());
    let unit = honnin
        .db
        .write(async move |tx| saved_filters::remove(tx, staff.tenant(), staff.user(), &name).await);
    unit.await
}
