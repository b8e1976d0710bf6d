//! The browsers that a person has signed in with. Each has a random token in a cookie, by which it is recognised the next time: a sign-in with
//! an unknown browser is reported to the person at their next visit. A known browser is not a factor: it has to show everything that an
//! unknown one has to.

use crate::{Honnin, access::Staff, runtime::token};
use domain::{
    audit::AuditAction,
    ids::UserId,
    secret::Secret,
    time::{Millis, Timestamp},
};
use sha2::{Digest, Sha256};
use std::net::IpAddr;
use store::{
    StoreError, Tx, audit,
    people::known_browsers::{self, BrowserRow, LastUse},
};

/// How long a browser stays known after a sign-in.
pub const LIFETIME: Millis = Millis::days(365);
/// Browsers kept for one person; the least recently used one makes room.
const MAX_BROWSERS: u32 = 20;

/// Somebody who signs in: from where, and with which browser.
#[derive(Clone, Debug)]
pub struct Client {
    /// The network address.
    pub address: IpAddr,
    /// The browser.
    pub browser: Browser,
}

/// A browser, before anybody has signed in with it.
#[derive(Clone, Debug)]
pub struct Browser {
    /// As it names itself.
    pub agent: String,
    /// The value of its cookie, whether it has sent it or is about to get it.
    pub token: Secret<String>,
}

impl Browser {
    /// The browser that sent `cookie`. Without a valid cookie of ours, a new token is generated.
    #[must_use]
    pub fn of(honnin: &Honnin, agent: String, cookie: Option<&str>) -> Self {
        let known = cookie.filter(|cookie| token::is_well_formed(cookie));
        Self {
            agent,
            token: known.map_or_else(
                || token::generate(&*honnin.random),
                |known| Secret::new(known.to_owned()),
            ),
        }
    }

    fn hash(&self, user: &UserId) -> Vec<u8> {
        Sha256::digest(format!("{user}\n{}", self.token.expose())).to_vec()
    }

    /// Identifies it among a person's browsers.
    #[must_use]
    pub fn id(&self, user: &UserId) -> String {
        hex::encode(self.hash(user))
    }
}

/// A browser's product and the system it runs on, as far as its `User-Agent` says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BrowserName {
    /// Such as `Firefox`.
    pub product: Option<&'static str>,
    /// Such as `Windows`.
    pub system: Option<&'static str>,
}

impl BrowserName {
    /// Read from a `User-Agent`.
    #[must_use]
    pub fn of(agent: &str) -> Self {
        let first = |names: &[(&str, &'static str)]| {
            names
                .iter()
                .find(|(part, _)| agent.contains(part))
                .map(|(_, name)| *name)
        };
        let product = first(&[
            ("Edg/", "Edge"),
            ("OPR/", "Opera"),
            ("Firefox/", "Firefox"),
            ("Chrome/", "Chrome"),
            ("Safari/", "Safari"),
        ]);
        let system = first(&[
            ("Android", "Android"),
            ("iPhone", "iPhone"),
            ("iPad", "iPad"),
            ("Windows", "Windows"),
            ("Mac OS X", "macOS"),
            ("CrOS", "ChromeOS"),
            ("Linux", "Linux"),
        ]);
        Self { product, system }
    }
}

/// For the audit log.
impl std::fmt::Display for BrowserName {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match (self.product, self.system) {
            (Some(product), Some(system)) => write!(f, "{product} on {system}"),
            (Some(only), None) | (None, Some(only)) => f.write_str(only),
            (None, None) => f.write_str("unknown"),
        }
    }
}

/// Records that a person has signed in with a browser, when nothing up to number `entry` of the audit log was still to come. Returns the sign-in with
/// it before, if it was known.
pub(super) async fn see(
    tx: &mut Tx,
    user: &UserId,
    client: &Client,
    now: Timestamp,
    entry: i64,
) -> Result<Option<LastUse>, StoreError> {
    let row = BrowserRow {
        hash: client.browser.hash(user),
        agent: client.browser.agent.clone(),
        address: client.address.to_string(),
        first_used_at: now,
        last_used_at: now,
    };
    let last_use = known_browsers::see(tx, user, &row, entry).await?;
    if last_use.is_none() {
        known_browsers::keep_newest(tx, user, MAX_BROWSERS).await?;
    }
    Ok(last_use)
}

/// A person's own browser.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OwnBrowser {
    /// [`Browser::id`].
    pub id: String,
    /// As it named itself when it was last used.
    pub agent: String,
    /// The address they last signed in from.
    pub address: String,
    /// When they first signed in with it.
    pub first_used_at: Timestamp,
    /// When they last signed in with it.
    pub last_used_at: Timestamp,
}

/// The browsers that a person has signed in with, the one used last first.
///
/// # Errors
/// If the database does not respond.
pub async fn list_own(honnin: &Honnin, staff: &Staff) -> Result<Vec<OwnBrowser>, StoreError> {
    let user = staff.user().clone();
    let unit = honnin.db.read(async move |tx| known_browsers::list(tx, &user).await);
    let own = unit.await?.into_iter().map(|row| OwnBrowser {
        id: hex::encode(&row.hash),
        agent: row.agent,
        address: row.address,
        first_used_at: row.first_used_at,
        last_used_at: row.last_used_at,
    });
    Ok(own.collect())
}

/// Forgets a browser: the next sign-in with it is reported again. Its current session stays. Returns whether there was one.
///
/// # Errors
/// If the database does not respond.
pub async fn forget_own(honnin: &Honnin, staff: &Staff, id: &str) -> Result<bool, StoreError> {
    let Ok(hash) = hex::decode(id) else { return Ok(false) };
    let entry = staff.own_entry(honnin.now(), AuditAction::PersonForgetBrowser);
    let user = staff.user().clone();
    let unit = honnin.db.write(async move |tx| -> Result<_, StoreError> {
        let forgotten = known_browsers::remove(tx, &user, &hash).await?;
        if forgotten {
            audit::record(tx, &entry).await?;
        }
        Ok(forgotten)
    });
    unit.await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn browsers_are_told_apart_by_what_they_call_themselves() {
        let mac = "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0 Safari/605.1.15";
        let edge = "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0 Safari/537.36 Edg/140.0";
        for (agent, name) in [
            (mac, "Safari on macOS"),
            (edge, "Edge on Windows"),
            ("X Firefox/140", "Firefox"),
            ("curl/8", "unknown"),
        ] {
            assert_eq!(BrowserName::of(agent).to_string(), name);
        }
    }
}
