//! Static files: the browser's half under `/pkg`, with content hashes in their names, and public files beside it.

use crate::state::App;
use axum::{
    Router,
    body::Body,
    extract::Request,
    middleware::{Next, from_fn},
    response::{IntoResponse, Response},
    routing::get_service,
};
use http::{
    HeaderValue, Method, StatusCode,
    header::{ACCEPT_ENCODING, CACHE_CONTROL, VARY},
};
use std::path::Path;
use tower::{ServiceBuilder, ServiceExt as _};
use tower_http::services::ServeDir;

const FOR_EVER: HeaderValue = HeaderValue::from_static("public, max-age=31536000, immutable");
const FOR_AN_HOUR: HeaderValue = HeaderValue::from_static("public, max-age=3600");

/// The kinds of files that the build makes. Whatever else comes to lie in the folder is not served (OWASP ASVS 5.0, 13.4.7).
const SERVED: [&str; 4] = ["css", "js", "svg", "wasm"];

fn is_served(path: &str) -> bool {
    let kind = Path::new(path).extension();
    kind.is_some_and(|kind| SERVED.iter().any(|served| kind == *served))
}

fn files(folder: &Path) -> ServeDir {
    ServeDir::new(folder)
        .append_index_html_on_directories(false)
        .precompressed_br()
        .precompressed_gzip()
}

/// `/pkg`. Only existing files may be cached: a file that is missing during a roll-out must be requested again.
pub(crate) fn routes(site: &Path) -> Router<App> {
    let package = ServiceBuilder::new()
        .map_response(|response: Response<_>| kept(response, FOR_EVER))
        .service(files(&site.join("pkg")));
    Router::new()
        .nest_service("/pkg", get_service(package))
        .layer(from_fn(refuse_others))
}

async fn refuse_others(request: Request, next: Next) -> Response {
    if is_served(request.uri().path()) {
        next.run(request).await
    } else {
        StatusCode::NOT_FOUND.into_response()
    }
}

fn kept<B>(mut response: http::Response<B>, how_long: HeaderValue) -> http::Response<B> {
    if response.status().is_success() || response.status() == StatusCode::NOT_MODIFIED {
        response.headers_mut().insert(CACHE_CONTROL, how_long);
        // A cache that many share must not give a compressed file to a client that cannot read it (RFC 9110 section 12.5.5).
        response.headers_mut().insert(VARY, ACCEPT_ENCODING.into());
    }
    response
}

/// A public file such as `/favicon.svg`; returns the request if there is none.
pub(crate) async fn public_file(site: &Path, request: Request) -> Result<Response, Request> {
    if !matches!(*request.method(), Method::GET | Method::HEAD) || !is_served(request.uri().path()) {
        return Err(request);
    }
    let (parts, body) = request.into_parts();
    let asked = Request::from_parts(parts.clone(), Body::empty());
    match files(site).oneshot(asked).await {
        Ok(found) if found.status().is_success() || found.status() == StatusCode::NOT_MODIFIED => {
            Ok(kept(found, FOR_AN_HOUR).into_response())
        }
        _ => Err(Request::from_parts(parts, body)),
    }
}

/// The URLs of the hashed files.
pub(crate) fn assets(site: &Path) -> app::Assets {
    app::Assets::parse(&hashes(site).unwrap_or_default(), "honnin")
}

/// Whether the browser's half has been built.
pub(crate) fn is_built(site: &Path) -> bool {
    hashes(site).is_some()
}

/// `hash.txt`, written by the build beside the program.
fn hashes(site: &Path) -> Option<String> {
    let program = std::env::current_exe().ok();
    let beside = program
        .as_deref()
        .and_then(Path::parent)
        .map(|folder| folder.join("hash.txt"));
    let others = ["hash.txt", "../debug/hash.txt", "../release/hash.txt"].map(|path| site.join(path));
    beside
        .into_iter()
        .chain(others)
        .find_map(|path| std::fs::read_to_string(path).ok())
}
