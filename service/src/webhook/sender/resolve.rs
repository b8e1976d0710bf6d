//! Name resolution. Behind a trait, so that a test can decide what a name resolves to, and change it.

use async_trait::async_trait;
use std::{io, net::IpAddr};

/// Resolves names.
#[async_trait]
pub trait Resolve: Send + Sync + 'static {
    /// Every address of `name`.
    ///
    /// # Errors
    /// If the name does not resolve.
    async fn resolve(&self, name: &str) -> io::Result<Vec<IpAddr>>;
}

/// The operating system's resolver.
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemResolver;

#[async_trait]
impl Resolve for SystemResolver {
    async fn resolve(&self, name: &str) -> io::Result<Vec<IpAddr>> {
        let found = tokio::net::lookup_host((name, 0)).await?;
        Ok(found.map(|address| address.ip()).collect())
    }
}
