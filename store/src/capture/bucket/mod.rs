//! A bucket on an S3 server as the object store of pictures.

mod http;
#[cfg(test)]
mod tests;

use crate::StoreError;
use domain::secret::Secret;
use http::{Connector, Timeouts};
use object_store::{
    BackoffConfig, ObjectStore, RetryConfig,
    aws::{AmazonS3, AmazonS3Builder},
    prefix::PrefixStore,
};
use rustls_pki_types::CertificateDer;
use std::{sync::Arc, time::Duration};

/// A request that gets no answer, or a temporary error, is retried this often; no retry begins later than this. A phone whose upload is
/// answered with 503 tries again by itself.
const RETRIES: usize = 5;
const RETRY_FOR: Duration = Duration::from_secs(20);
/// After these, a server is not answering.
const TIMEOUTS: Timeouts = Timeouts {
    // Well below [`RETRY_FOR`], or there would be no retry.
    silence: Duration::from_secs(6),
    // Below it as well: longer than storing a picture takes, but a server that is stuck is asked again.
    answer: Duration::from_secs(15),
};

/// The variables in which AWS says how a process gets the credentials of its role: in a Kubernetes pod that has a service account with a role (IRSA)
/// or Pod Identity, or in a task of ECS. Without them it is the role of the machine.
pub const ROLE_VARIABLES: [&str; 7] = [
    "AWS_WEB_IDENTITY_TOKEN_FILE",
    "AWS_ROLE_ARN",
    "AWS_ROLE_SESSION_NAME",
    "AWS_ENDPOINT_URL_STS",
    "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI",
    "AWS_CONTAINER_CREDENTIALS_FULL_URI",
    "AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE",
];

/// A bucket, and how to reach it.
#[derive(Clone, Debug)]
pub struct Bucket {
    /// Its name.
    pub name: String,
    /// Precedes the names of all objects; empty for none.
    pub prefix: String,
    /// URL of an S3 server; `None` means AWS.
    pub endpoint: Option<String>,
    /// The region.
    pub region: String,
    /// Whether the bucket's name is in the path, `https://host/bucket/..`, instead of the host, `https://bucket.host/..`.
    pub path_style: bool,
    /// Access key id and secret access key; `None` means the role of the process or the machine.
    pub credentials: Option<(String, Secret<String>)>,
    /// Those of [`ROLE_VARIABLES`] that are set, with their values.
    pub role: Vec<(String, String)>,
    /// Certificate authorities trusted in addition to the system's.
    pub extra_roots: Vec<CertificateDer<'static>>,
}

impl Bucket {
    /// The bucket as an object store. Connects when it is used.
    pub(crate) fn open(&self) -> Result<Arc<dyn ObjectStore>, StoreError> {
        self.open_with(TIMEOUTS)
    }

    fn open_with(&self, timeouts: Timeouts) -> Result<Arc<dyn ObjectStore>, StoreError> {
        let store = self.build(timeouts).map_err(StoreError::unavailable)?;
        Ok(if self.prefix.is_empty() {
            Arc::new(store)
        } else {
            Arc::new(PrefixStore::new(store, self.prefix.as_str()))
        })
    }

    fn build(&self, timeouts: Timeouts) -> Result<AmazonS3, object_store::Error> {
        let retry = RetryConfig {
            backoff: BackoffConfig {
                init_backoff: Duration::from_millis(200),
                max_backoff: Duration::from_secs(5),
                base: 2.0,
            },
            max_retries: RETRIES,
            retry_timeout: RETRY_FOR,
        };
        let mut builder = AmazonS3Builder::new()
            .with_bucket_name(&self.name)
            .with_region(&self.region)
            .with_virtual_hosted_style_request(!self.path_style)
            .with_retry(retry)
            .with_http_connector(Connector::new(&self.extra_roots, timeouts)?);
        if let Some(endpoint) = &self.endpoint {
            builder = builder
                .with_endpoint(endpoint)
                .with_allow_http(!endpoint.starts_with("https:"));
        }
        if let Some((id, secret)) = &self.credentials {
            builder = builder.with_access_key_id(id).with_secret_access_key(secret.expose());
        } else {
            for (name, value) in &self.role {
                builder = builder.with_config(name.to_ascii_lowercase().parse()?, value);
            }
        }
        builder.build()
    }
}

/// Whether an error says that there is no such object. An S3 server also answers 404 if the bucket does not exist, and so does a proxy that
/// knows no server: those are outages.
pub(crate) fn is_absence(error: &object_store::Error) -> bool {
    match error {
        object_store::Error::NotFound { source, .. } => source.to_string().contains("<Code>NoSuchKey</Code>"),
        _ => false,
    }
}
