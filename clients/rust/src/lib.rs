//! Client of the Honnin identity verification API.

include!(concat!(env!("OUT_DIR"), "/client.rs"));

/// A client of the installation at `base_url`, with or without a slash at its end, that sends `api_key` with every request.
///
/// # Errors
/// The key is not valid in a header, or TLS cannot be set up.
pub fn with_key(base_url: &str, api_key: &str) -> Result<Client, Box<dyn std::error::Error + Send + Sync>> {
    use reqwest::{
        header::{AUTHORIZATION, HeaderMap, HeaderValue},
        redirect::Policy,
    };
    use std::time::Duration;
    let mut key = HeaderValue::try_from(format!("Bearer {api_key}"))?;
    key.set_sensitive(true);
    let http = reqwest::Client::builder()
        .default_headers(HeaderMap::from_iter([(AUTHORIZATION, key)]))
        .timeout(Duration::from_secs(30))
        // The server closes a connection that has been idle for 75 s: a call that was sent at that moment would be lost.
        .pool_idle_timeout(Duration::from_secs(60))
        // A redirected POST would become a GET without its body.
        .redirect(Policy::none())
        .build()?;
    // The generated calls append paths that begin with a slash.
    Ok(Client::new_with_client(base_url.trim_end_matches('/'), http))
}
