//! Fuzz target for uploaded forms: see docs/TESTING.md.

use super::{Part, form};
use axum::{body::Body, extract::Request};
use std::time::Duration;

const LIMIT: usize = 4096;

/// Whatever arrives, no more is kept than was reserved.
#[test]
fn forms() {
    bolero::check!().with_iterations(0).for_each(|body: &[u8]| {
        let request = Request::builder()
            .header("content-type", "multipart/form-data; boundary=b")
            .body(Body::from(body.to_vec()))
            .unwrap();
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_time()
            .build()
            .unwrap();
        let read = runtime.block_on(form::read(request, LIMIT, Duration::from_secs(9)));
        let kept = read.unwrap_or_default().into_iter().map(|(_, part)| match part {
            Part::Text(text) => text.len(),
            Part::File(bytes) => bytes.len(),
            Part::NoFile => 0,
        });
        assert!(kept.sum::<usize>() <= LIMIT);
    });
}
