//! A receiver URL as given by an admin: https, a host name, no credentials, a port that speaks HTTP. IP literals are recognised
//! in every notation that browsers accept, so that none can pass for a name.

use super::address::AddressRules;
use std::net::{IpAddr, SocketAddr};
use url::{Host, Url};

/// Maximum length of a URL.
pub const LONGEST: usize = 2048;

/// Ports above 1023 that belong to other protocols, which a webhook must not speak to: the "bad ports" of the Fetch standard,
/// and the usual ports of databases, caches and message brokers.
const OTHER_PROTOCOLS: [u16; 36] = [
    1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061, 6000, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697,
    10080, //
    1433, 1521, 1883, 2379, 3306, 4222, 5432, 5671, 5672, 6379, 6380, 8883, 9042, 9092, 9200, 11211, 27017,
];

/// A checked receiver URL.
#[derive(Clone, PartialEq, Eq)]
pub struct ReceiverUrl {
    url: Url,
    host: ReceiverHost,
    port: u16,
}

/// What is resolved, or connected to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ReceiverHost {
    /// A name.
    Name(String),
    /// An IP literal in a network that the installation allows.
    Literal(IpAddr),
}

/// Why a receiver URL is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum UrlFault {
    /// It does not parse.
    #[error("is not a URL")]
    Malformed,
    /// Over [`LONGEST`].
    #[error("is longer than {},{:03} bytes", LONGEST / 1000, LONGEST % 1000)]
    TooLong,
    /// A scheme other than https.
    #[error("must begin with https://")]
    NotHttps,
    /// `user:password@`.
    #[error("must not contain a user name or password")]
    Credentials,
    /// `#..`, which is never sent.
    #[error("must not contain a fragment")]
    Fragment,
    /// `https://203.0.113.7/`.
    #[error("must name a host; an IP address is not accepted")]
    Literal,
    /// A port that no web server uses.
    #[error("uses a port that is not allowed; use 443, or a port from 1024 up that is not known for another protocol")]
    Port,
    /// The name does not resolve, or it resolves to an address that is not public. One fault for both: two would tell which names there are in the
    /// installation's own network. The log says which it was.
    #[error("must have a host name that resolves to public addresses only")]
    NotPublic,
}

impl ReceiverUrl {
    /// Parses `text`. Does not check what the name resolves to.
    ///
    /// # Errors
    /// The first rule that it breaks.
    pub fn parse(text: &str, rules: &AddressRules) -> Result<Self, UrlFault> {
        if text.len() > LONGEST {
            return Err(UrlFault::TooLong);
        }
        // The parser would silently drop these.
        if text.chars().any(|c| c.is_ascii_control() || c == ' ' || c == '\\') {
            return Err(UrlFault::Malformed);
        }
        let url = Url::parse(text).map_err(|_| UrlFault::Malformed)?;
        if url.scheme() != "https" {
            return Err(UrlFault::NotHttps);
        }
        if !url.username().is_empty() || url.password().is_some() {
            return Err(UrlFault::Credentials);
        }
        // The parser also accepts fewer and more slashes (`https:host/`, `https:///host/`), which is never intended.
        let rest = text.get(8..).filter(|_| text[..8].eq_ignore_ascii_case("https://"));
        let rest = rest.filter(|rest| !rest.starts_with('/')).ok_or(UrlFault::Malformed)?;
        // The parser drops empty credentials (`https://@host/`).
        let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
        if authority.contains('@') {
            return Err(UrlFault::Credentials);
        }
        if url.fragment().is_some() {
            return Err(UrlFault::Fragment);
        }
        let host = match url.host() {
            Some(Host::Domain(name)) if is_host_name(name) => ReceiverHost::Name(name.to_owned()),
            Some(Host::Ipv4(address)) => literal(address.into(), rules)?,
            Some(Host::Ipv6(address)) => literal(address.into(), rules)?,
            Some(Host::Domain(_)) | None => return Err(UrlFault::Malformed),
        };
        let port = url.port_or_known_default().ok_or(UrlFault::Port)?;
        if !is_web_port(port) {
            return Err(UrlFault::Port);
        }
        Ok(Self { url, host, port })
    }

    /// What is resolved, or connected to.
    #[must_use]
    pub const fn host(&self) -> &ReceiverHost {
        &self.host
    }

    /// The port.
    #[must_use]
    pub const fn port(&self) -> u16 {
        self.port
    }

    /// The URL as stored and shown.
    #[must_use]
    pub fn as_str(&self) -> &str {
        self.url.as_str()
    }

    /// The `Host` header.
    #[must_use]
    pub fn authority(&self) -> String {
        let host = self.url.host_str().unwrap_or_default();
        match self.url.port() {
            Some(port) => format!("{host}:{port}"),
            None => host.to_owned(),
        }
    }

    /// The request target: path and query.
    #[must_use]
    pub fn target(&self) -> String {
        match self.url.query() {
            Some(query) => format!("{}?{query}", self.url.path()),
            None => self.url.path().to_owned(),
        }
    }

    /// The host name for TLS.
    #[must_use]
    pub(crate) fn tls_name(&self) -> String {
        match &self.host {
            ReceiverHost::Name(name) => name.clone(),
            ReceiverHost::Literal(address) => address.to_string(),
        }
    }

    /// The socket address of a literal, with the port.
    #[must_use]
    pub(crate) fn socket_address(&self, address: IpAddr) -> SocketAddr {
        SocketAddr::new(address, self.port)
    }
}

/// A receiver URL may contain a token in its path or query: logs get only the host.
impl std::fmt::Debug for ReceiverUrl {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "ReceiverUrl({})", self.authority())
    }
}

fn literal(address: IpAddr, rules: &AddressRules) -> Result<ReceiverHost, UrlFault> {
    if rules.is_allowed_by_name(address) {
        Ok(ReceiverHost::Literal(address))
    } else {
        Err(UrlFault::Literal)
    }
}

/// Letters, digits and hyphens in labels of 1 to 63, as the parser's IDNA mapping leaves them. No trailing dot, no underscore.
fn is_host_name(name: &str) -> bool {
    name.len() <= 253
        && name.split('.').all(|label| {
            (1..=63).contains(&label.len())
                && !label.starts_with('-')
                && !label.ends_with('-')
                && label.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
        })
}

fn is_web_port(port: u16) -> bool {
    (port == 443 || port >= 1024) && !OTHER_PROTOCOLS.contains(&port)
}

#[cfg(test)]
mod tests;
