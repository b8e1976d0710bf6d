//! The caller: the bearer key, then the address. The first check of every operation, before any byte of the body is read.

use super::ApiError;
use crate::{edge::RequestContext, state::App};
use domain::scope::Scope;
use http::{HeaderMap, header::AUTHORIZATION};
use service::access::{self, Tenant};

/// The tenant of the request's key, for an operation that requires `scope`.
///
/// # Errors
/// [`ApiError::IpNotAllowed`]; [`ApiError::Busy`] if the tenant has used its share of the node's requests;
/// [`ApiError::Unauthorized`] alike for a missing, wrong, revoked, expired or malformed key and for one without the scope,
/// without a rate limit: a client that gets 429 backs off and never learns that its key is invalid, and 160 random bits cannot
/// be guessed.
pub(super) async fn caller(
    app: &App,
    context: &RequestContext,
    headers: &HeaderMap,
    scope: Scope,
) -> Result<Tenant, ApiError> {
    let Some(presented) = bearer(headers) else {
        return Err(ApiError::Unauthorized);
    };
    let refused = |error| ApiError::of_access(error, context.client);
    let key = access::find_key(&app.honnin, presented).await.map_err(refused)?;
    // Also of a refused request, which the tenant's developers can then find.
    context.identify(key.tenant(), key.id());
    if !context.take_permit(&app.tenants) {
        return Err(ApiError::Busy);
    }
    key.admit(&app.honnin, context.client, scope).map_err(refused)
}

/// Notes whose request it is, if its key is a valid one, for a response that does not depend on that: the tenant's developers find it then.
pub(super) async fn recognise(app: &App, context: &RequestContext, headers: &HeaderMap) {
    if let Some(presented) = bearer(headers)
        && let Ok(key) = access::find_key(&app.honnin, presented).await
    {
        context.identify(key.tenant(), key.id());
    }
}

/// The token of the one `Authorization: Bearer` header.
fn bearer(headers: &HeaderMap) -> Option<&str> {
    let mut lines = headers.get_all(AUTHORIZATION).iter();
    let (line, None) = (lines.next()?, lines.next()) else {
        return None;
    };
    let (scheme, token) = line.to_str().ok()?.split_once(' ')?;
    scheme
        .eq_ignore_ascii_case("bearer")
        .then(|| token.trim_matches(' '))
        .filter(|token| !token.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;
    use http::HeaderValue;

    #[test]
    fn only_one_header_of_the_bearer_scheme_counts() {
        let of = |lines: &[&str]| {
            let mut headers = HeaderMap::new();
            for line in lines {
                headers.append(AUTHORIZATION, HeaderValue::from_bytes(line.as_bytes()).unwrap());
            }
            bearer(&headers).map(str::to_owned)
        };
        assert_eq!(of(&["Bearer k"]), Some("k".into()));
        assert_eq!(of(&["bearer  k "]), Some("k".into()));
        for bad in [
            &[][..],
            &["k"],
            &["Basic k"],
            &["Bearer"],
            &["Bearer "],
            &["Bearer a", "Bearer b"],
            &["Bearer \u{80}"],
        ] {
            assert_eq!(of(bad), None, "{bad:?}");
        }
    }
}
