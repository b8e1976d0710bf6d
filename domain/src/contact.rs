//! Where a tenant's users ask for help: a page of the tenant, or a mailbox.

use crate::visible;
use serde::{Deserialize, Serialize};
use url::Url;

/// An `https` URL, or `mailto:` with one address.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Contact(Url);

/// Why a text is not a contact.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("must be an https URL or an e-mail address")]
pub struct BadContact;

impl Contact {
    /// The longest text accepted, in characters: the longest e-mail address (RFC 5321) fits.
    const LONGEST: usize = 300;

    /// Parses an `https` URL or an e-mail address, with or without `mailto:`.
    ///
    /// # Errors
    /// [`BadContact`].
    pub fn parse(text: &str) -> Result<Self, BadContact> {
        let text = text.trim();
        if text.chars().count() > Self::LONGEST || visible::hides_something(text) {
            return Err(BadContact);
        }
        let address = text.strip_prefix("mailto:").unwrap_or(text);
        if is_address(address) {
            return Url::parse(&format!("mailto:{address}"))
                .map(Self)
                .map_err(|_| BadContact);
        }
        let url = Url::parse(text).map_err(|_| BadContact)?;
        let plain = url.scheme() == "https" && url.username().is_empty() && url.password().is_none();
        plain.then_some(Self(url)).ok_or(BadContact)
    }

    /// The link's address.
    #[must_use]
    pub fn href(&self) -> &str {
        self.0.as_str()
    }

    /// As an admin types it: an e-mail address without `mailto:`.
    #[must_use]
    pub fn typed(&self) -> &str {
        self.href().strip_prefix("mailto:").unwrap_or(self.href())
    }
}

/// One mailbox, with nothing that a mail client would take for more recipients or headers.
fn is_address(text: &str) -> bool {
    let plain = |part: &str| {
        !part.is_empty()
            && part
                .chars()
                .all(|c| c.is_alphanumeric() || matches!(c, '.' | '-' | '_' | '+'))
    };
    text.split_once('@')
        .is_some_and(|(name, host)| plain(name) && plain(host) && host.contains('.'))
}

impl TryFrom<String> for Contact {
    type Error = BadContact;

    fn try_from(text: String) -> Result<Self, BadContact> {
        Self::parse(&text)
    }
}

impl From<Contact> for String {
    fn from(contact: Contact) -> Self {
        contact.0.into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_contact_is_an_https_page_or_one_mailbox() {
        for (text, href) in [
            ("https://bank.example/help", Some("https://bank.example/help")),
            (
                "https://bank.example/help?from=id",
                Some("https://bank.example/help?from=id"),
            ),
            ("help@bank.example", Some("mailto:help@bank.example")),
            (" mailto:help+id@bank.example ", Some("mailto:help+id@bank.example")),
            ("http://bank.example/help", None),
            ("javascript:alert(1)", None),
            ("https://user@bank.example", None),
            ("help@bank.example?bcc=other@example.com", None),
            ("help@bank.example,other@example.com", None),
            ("help@bank", None),
            ("tel:+8135550100", None),
            ("", None),
        ] {
            let parsed = Contact::parse(text);
            assert_eq!(parsed.as_ref().ok().map(Contact::href), href, "{text}");
        }
        let contact = Contact::parse("help@bank.example").unwrap();
        assert_eq!(contact.typed(), "help@bank.example");
        let json = serde_json::to_string(&contact).unwrap();
        assert_eq!(json, r#""mailto:help@bank.example""#);
        assert_eq!(serde_json::from_str::<Contact>(&json).unwrap(), contact);
    }
}
