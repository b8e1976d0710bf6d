//! A person's visits to the console: when they signed in, and from where.

use super::{
    client_network::client_network,
    known_browser::{self, BrowserName, Client},
};
use crate::access::Staff;
use domain::{
    audit::{Actor, AuditAction},
    audit_detail::{DetailPhrase, DetailWord},
    ids::UserId,
    time::Timestamp,
};
use std::{fmt::Display, net::IpAddr};
use store::{
    StoreError, Tx,
    audit::{self, Entry},
    people::{
        known_browsers::LastUse,
        users::{self, MarkedVisit, UserRow},
    },
};

/// The account of somebody who is about to sign in, as it is now: while a password is hashed or a provider is asked, it may be disabled, or get
/// another password. It stays as it is until the unit is done. `None` if it is disabled.
pub(super) async fn lock_active(tx: &mut Tx, user: &UserId) -> Result<Option<UserRow>, StoreError> {
    users::lock(tx, user).await?;
    let found = users::find(tx, user).await?;
    Ok(found.filter(|user| user.disabled_at.is_none()))
}

/// Where the news of a session starts. It belongs to the browser: somebody who signs in with another one, with a stolen password for example, hides
/// nothing from the person's next visit with this one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Since {
    /// The previous sign-in with this browser, or how far back the news goes if there was none.
    pub at: Timestamp,
    /// The address that sign-in came from; `None` if there was none.
    pub from: Option<String>,
    /// The number of the last entry of the audit log that is not told.
    pub entry: i64,
}

impl Since {
    /// At a person's first visit, there is nothing to tell; nor is anything of before their account existed.
    async fn of(
        tx: &mut Tx,
        marked: &MarkedVisit,
        last_use: Option<LastUse>,
        now: Timestamp,
    ) -> Result<Option<Self>, StoreError> {
        if marked.before.is_empty() {
            return Ok(None);
        }
        let (at, from, entry) = match last_use {
            Some(last_use) => (last_use.at, Some(last_use.address), last_use.entry),
            None => (now.minus(known_browser::LIFETIME).max(marked.created_at), None, None),
        };
        let entry = match entry {
            Some(entry) => entry,
            None => audit::find_number_before(tx, at).await?,
        };
        Ok(Some(Self { at, from, entry }))
    }
}

/// Somebody who has just come in: what their browser's session begins with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entrance {
    /// Who.
    pub user: UserId,
    /// Of which epoch of their sessions it is. The session is stored later: by then, all of this epoch may have been ended.
    pub epoch: i64,
    /// Where its news starts. `None` if there is no news at a first visit, or if it continues that of the session before.
    pub since: Option<Since>,
}

/// Records that somebody has signed in. If neither of the person's last two visits came from this network, or they have not signed in with this
/// browser before, the entry says so, and their next visit tells them. At the first visit, nothing is new.
pub(super) async fn record(
    tx: &mut Tx,
    user: &UserId,
    mut entry: Entry,
    client: &Client,
) -> Result<Entrance, StoreError> {
    let marked = users::mark_visit(tx, user, entry.address.as_deref(), entry.at).await?;
    let last_use = known_browser::see(tx, user, client, entry.at, marked.entry).await?;
    // The network of this browser's last sign-in is not new, even if somebody else has signed in meanwhile.
    let earlier = marked.before.iter().chain(last_use.as_ref().map(|last| &last.address));
    let network = is_new(earlier, entry.address.as_deref()).then(|| DetailWord::NewNetwork.to_string());
    let is_new_browser = last_use.is_none() && !marked.before.is_empty();
    let browser = is_new_browser.then(|| DetailPhrase::NewBrowser.with(BrowserName::of(&client.browser.agent)));
    let since = Since::of(tx, &marked, last_use, entry.at).await?;
    let parts: Vec<_> = entry.detail.into_iter().chain(network).chain(browser).collect();
    entry.detail = (!parts.is_empty()).then(|| parts.join(", "));
    audit::record(tx, &entry).await?;
    Ok(Entrance {
        user: user.clone(),
        epoch: marked.session_epoch,
        since,
    })
}

/// The entry for something that a person did who has proved who they are, but is not signed in yet.
pub(super) fn entry_by(user: &UserRow, at: Timestamp, action: AuditAction) -> Entry {
    Entry::new(at, Actor::Person(user.id.clone()), action).in_tenant(user.tenant().cloned())
}

/// The entry for somebody who was not signed in: to the account of `user`, or to none that there is.
pub(super) fn refusal(user: Option<&UserRow>, at: Timestamp, address: impl Display) -> Entry {
    let entry = Entry::new(at, Actor::System, AuditAction::PersonSignInRefused).from_address(address);
    match user {
        Some(user) => entry.in_tenant(user.tenant().cloned()).about(&user.id),
        None => entry,
    }
}

/// The entry for somebody who is signed in, was asked again to prove who they are, and failed with what `confirmation` names. The attempt concerns
/// their account as one to sign in does.
pub(super) fn refused_proof(staff: &Staff, at: Timestamp, confirmation: DetailWord) -> Entry {
    staff
        .own_entry(at, AuditAction::PersonSignInRefused)
        .about(staff.user())
        .with_detail(confirmation)
}

/// Whether an address is in none of the networks of others. At the first visit, none is new.
fn is_new<'a>(before: impl IntoIterator<Item = &'a String>, from: Option<&str>) -> bool {
    let network = |address: &str| address.parse::<IpAddr>().ok().map(client_network);
    let mut before = before.into_iter().peekable();
    from.is_some_and(|from| before.peek().is_some() && before.all(|other| network(other) != network(from)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_network_is_new_if_it_is_none_of_those_before() {
        let before = ["192.0.2.1".to_owned(), "2001:db8:0:1::1".to_owned()];
        for (from, new) in [
            ("192.0.2.1", false),
            ("::ffff:192.0.2.1", false),
            ("2001:db8:0:1:9::9", false),
            ("192.0.2.2", true),
            ("2001:db8:0:2::1", true),
        ] {
            assert_eq!(is_new(&before, Some(from)), new, "{from}");
        }
        assert!(!is_new(&Vec::new(), Some("192.0.2.1")) && !is_new(&before, None));
    }
}
