//! How a tenant presents itself on the capture pages: name, colour, logo, and where to ask for help.

use crate::{Honnin, runtime::token};
use domain::contact::Contact;
pub use store::settings::logos::LogoRow;
use store::{
    StoreError, Tx,
    capture::capture_cookies,
    session::sessions,
    settings::{
        logos,
        tenants::{self, TenantRow},
    },
};

/// How a tenant presents itself.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Branding {
    /// Its name.
    pub name: String,
    /// Its accent colour, `#rrggbb`.
    pub accent: Option<String>,
    /// Its logo.
    pub logo: Option<LogoRow>,
    /// Where its users ask for help.
    pub contact: Option<Contact>,
}

pub(crate) async fn load(tx: &mut Tx, tenant: &TenantRow) -> Result<Branding, StoreError> {
    let settings = tenant.settings.as_ref();
    Ok(Branding {
        name: tenant.name.clone(),
        accent: settings.and_then(|settings| settings.accent.clone()),
        logo: logos::find(tx, &tenant.id).await?,
        contact: settings.and_then(|settings| settings.contact.clone()),
    })
}

/// The tenant of the session that a browser took part in, even if that is over: a page that says so names the tenant.
///
/// # Errors
/// If the database does not respond.
pub async fn branding_of_browser(honnin: &Honnin, cookie: &str) -> Result<Option<Branding>, StoreError> {
    if !token::is_well_formed(cookie) {
        return Ok(None);
    }
    let hash = token::hash(cookie);
    let unit = honnin.db.read(async move |tx| {
        let Some(cookie) = capture_cookies::find(tx, &hash).await? else {
            return Ok(None);
        };
        let Some(row) = sessions::find_any(tx, &cookie.session).await? else {
            return Ok(None);
        };
        match tenants::find(tx, &row.session.tenant).await? {
            Some(tenant) => load(tx, &tenant).await.map(Some),
            None => Ok(None),
        }
    });
    unit.await
}
