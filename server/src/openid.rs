//! The connection to the OpenID provider, whose address the operator gave. Its responses are small and expected at once, because somebody is waiting.

use crate::http_client::{Client, ClientError};
use async_trait::async_trait;
use bytes::Bytes;
use http::Response;
use service::people::openid::provider::ProviderHttp;
use std::{error::Error, path::Path, time::Duration};
use url::Url;

/// Time-out of a whole exchange.
const TIME_LIMIT: Duration = Duration::from_secs(10);
/// The largest answer, in bytes. A set of ten RSA keys with their certificates has 30 KiB.
const LARGEST: usize = 256 * 1024;

/// The provider's side of the wire.
pub(crate) struct ProviderConnection(Client);

impl ProviderConnection {
    /// Trusts the system's certificate authorities, and those of a file if given.
    ///
    /// # Errors
    /// If `ca_file` cannot be read.
    pub(crate) fn new(ca_file: Option<&Path>) -> Result<Self, ClientError> {
        Ok(Self(Client::new(ca_file)?.limited(TIME_LIMIT, LARGEST)))
    }
}

#[async_trait]
impl ProviderHttp for ProviderConnection {
    async fn send(
        &self,
        method: &str,
        url: &Url,
        headers: &[(&str, String)],
        body: Vec<u8>,
    ) -> Result<Response<Bytes>, Box<dyn Error + Send + Sync>> {
        self.0.send(method, url, headers, body).await
    }
}
