//! The OpenID provider of the console.

use super::read::Reader;
use domain::secret::Secret;
use service::people::openid::provider::{ProviderConfig, is_allowed};
use std::path::PathBuf;
use url::Url;

/// Settings of signing in to the console.
#[derive(Clone, Debug)]
pub struct OpenId {
    /// The provider, if there is one.
    pub provider: Option<ProviderConfig>,
    /// PEM file with certificate authorities to trust in addition to the system's.
    pub ca_file: Option<PathBuf>,
    /// Whether people may sign in with a password or a passkey as well.
    pub local_sign_in: bool,
}

const ISSUER: &str = "openid.issuer";

pub(super) fn read(reader: &mut Reader<'_>) -> OpenId {
    let issuer = reader.text(ISSUER);
    let local_sign_in = reader.flag("openid.local_sign_in");
    let ca_file = reader.text("openid.ca_file");
    let provider = (!issuer.is_empty()).then(|| provider(reader, issuer));
    if provider.is_none() && !local_sign_in {
        reader.fault(
            "openid.local_sign_in",
            "must be true without openid.issuer, or nobody could sign in",
        );
    }
    OpenId {
        provider,
        ca_file: (!ca_file.is_empty()).then(|| ca_file.into()),
        local_sign_in,
    }
}

fn provider(reader: &mut Reader<'_>, issuer: String) -> ProviderConfig {
    let plain =
        |url: &Url| is_allowed(url) && url.query().is_none() && url.fragment().is_none() && url.username().is_empty();
    if !Url::parse(&issuer).is_ok_and(|url| plain(&url)) {
        reader.fault(
            ISSUER,
            "must be an https URL without a query, such as https://login.example.com/realms/staff",
        );
    }
    // The multi-tenant endpoints of Entra ID issue tokens of every organisation there is.
    let shared = ["/common/", "/organizations/", "/consumers/"];
    if issuer.starts_with("https://login.microsoftonline.com/") && shared.iter().any(|part| issuer.contains(part)) {
        reader.fault(
            ISSUER,
            "must name your own directory: https://login.microsoftonline.com/TENANT-ID/v2.0",
        );
    }
    let secret = reader.text("openid.client_secret");
    let scopes = reader.texts("openid.scopes");
    if !scopes.iter().any(|scope| scope == "openid") {
        reader.fault("openid.scopes", "must contain \"openid\"");
    }
    ProviderConfig {
        issuer,
        client_id: reader.filled("openid.client_id"),
        client_secret: (!secret.is_empty()).then(|| Secret::new(secret)),
        name: reader.filled("openid.name"),
        scopes,
        trusts_emails: reader.flag("openid.trust_emails"),
    }
}
