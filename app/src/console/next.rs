//! Where to continue after signing in or confirming.

use url::form_urlencoded;

/// Longest address to continue at. It may have to fit into a cookie, of which browsers keep 4096 bytes.
const LONGEST: usize = 1024;

/// The address in the console to continue at. Anything else, above all another site, becomes the overview.
pub(super) fn safe_next(next: &str) -> &str {
    let inside = next == "/admin" || next.starts_with("/admin/") || next.starts_with("/admin?");
    let plain = next.bytes().all(|b| b.is_ascii_graphic() && b != b'\\') && !next.starts_with("//");
    if inside && plain && next.len() <= LONGEST {
        next
    } else {
        "/admin"
    }
}

/// The address of a page that continues at `next`.
pub(super) fn with_next(page: &str, next: &str) -> String {
    let next: String = form_urlencoded::byte_serialize(next.as_bytes()).collect();
    format!("{page}?next={next}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nobody_is_sent_to_another_site() {
        for inside in ["/admin", "/admin/sessions?status=failed", "/admin?x=1"] {
            assert_eq!(safe_next(inside), inside);
        }
        for outside in [
            "",
            "//evil.example",
            "https://evil.example/admin/",
            "/adminx",
            "/admin/\\evil",
            "/admin/\r\nx: y",
        ] {
            assert_eq!(safe_next(outside), "/admin", "{outside:?}");
        }
        let long = format!("/admin/sessions?metadata={}", "a".repeat(LONGEST));
        assert_eq!(safe_next(&long), "/admin", "too long for a cookie");
    }
}
