//! The headers of every response.

use http::{
    HeaderMap, HeaderName, HeaderValue,
    header::{
        CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, REFERRER_POLICY, STRICT_TRANSPORT_SECURITY,
        X_CONTENT_TYPE_OPTIONS, X_FRAME_OPTIONS,
    },
};

/// The policy of responses that are not pages: nothing is allowed.
const CLOSED: &str = "default-src 'none'; frame-ancestors 'none'";

/// Where browsers report violations of the policy.
pub(crate) const CSP_REPORTS: &str = "/csp-reports";

/// The device features that a page may use.
pub(crate) const PERMISSIONS_POLICY: HeaderName = HeaderName::from_static("permissions-policy");
const NO_SENSES: &str = "camera=(), microphone=(), geolocation=(), payment=(), usb=(), display-capture=()";
/// The same for the capture pages, which use the camera.
pub(crate) const CAMERA_ONLY: &str =
    "camera=(self), microphone=(), geolocation=(), payment=(), usb=(), display-capture=()";

/// The policy of pages. Scripts and styles are our files, or carry the nonce; WASM may be compiled; pictures may come from the
/// camera (`blob:`) and from the page itself (`data:`, QR codes); nothing is sent elsewhere. Violations are reported. `report-uri` is
/// understood everywhere, its successor `report-to` is not yet.
fn page_policy(nonce: &str) -> String {
    format!(
        "default-src 'none'; script-src 'self' 'nonce-{nonce}' 'wasm-unsafe-eval'; style-src 'self' 'nonce-{nonce}'; \
         img-src 'self' blob: data:; media-src 'self' blob:; connect-src 'self'; font-src 'self'; manifest-src 'self'; \
         form-action 'self'; base-uri 'none'; frame-ancestors 'none'; report-uri {CSP_REPORTS}"
    )
}

/// Adds missing headers. A handler may set the cache control or the permissions itself; the other headers cannot be overridden.
pub(super) fn secure(headers: &mut HeaderMap, nonce: &str, hsts: bool) {
    let is_page = headers
        .get(CONTENT_TYPE)
        .is_some_and(|kind| kind.as_bytes().starts_with(b"text/html"));
    let closed = HeaderValue::from_static(CLOSED);
    let policy = if is_page {
        HeaderValue::from_str(&page_policy(nonce)).unwrap_or(closed)
    } else {
        closed
    };
    headers.insert(CONTENT_SECURITY_POLICY, policy);
    let fixed = [
        (X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (X_FRAME_OPTIONS, "DENY"),
        // URLs of capture pages are secrets.
        (REFERRER_POLICY, "no-referrer"),
        (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
        (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
    ];
    for (name, value) in fixed {
        headers.insert(name, HeaderValue::from_static(value));
    }
    headers
        .entry(PERMISSIONS_POLICY)
        .or_insert(HeaderValue::from_static(NO_SENSES));
    if hsts {
        headers.insert(STRICT_TRANSPORT_SECURITY, HeaderValue::from_static("max-age=31536000"));
    }
    headers
        .entry(CACHE_CONTROL)
        .or_insert(HeaderValue::from_static("no-store"));
}
