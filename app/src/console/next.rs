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

/// The page of the form at `path`, if there is one to come back to after signing in.
#[must_use]
pub fn page_of_form(path: &str) -> Option<String> {
    let parts: Vec<&str> = path.strip_prefix("/admin/")?.split('/').collect();
    let page = match parts.as_slice() {
        ["account", "authenticator", ..] => "account/authenticator",
        ["account", ..] => "account",
        ["people" | "invitations", ..] => "people",
        ["settings", "logo", ..] => "settings/look",
        ["sessions", "resend" | "filters", ..] => "sessions",
        ["sessions", _, "erase"] => return Some(path.to_owned()),
        // A form of the queue: the page of the case would reserve it.
        ["review", _, "take"] => "review",
        ["webhooks", "test" | "again"] => "webhooks",
        [area @ ("sessions" | "review" | "settings" | "webhooks"), id, ..] => {
            return Some(format!("/admin/{area}/{id}"));
        }
        ["sessions", ..] => "sessions",
        ["review"] => "review",
        ["keys", ..] => "keys",
        ["tenants", ..] => "tenants",
        ["audit", ..] => "audit",
        // Those of every page, and the one that confirms, which somebody who has just signed in need not.
        _ => return None,
    };
    Some(format!("/admin/{page}"))
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

    #[test]
    fn a_form_leads_back_to_its_page() {
        for (form, page) in [
            ("/admin/keys", "/admin/keys"),
            ("/admin/keys/key_1/revoke", "/admin/keys"),
            ("/admin/invitations/inv_1/revoke", "/admin/people"),
            ("/admin/settings/steps", "/admin/settings/steps"),
            ("/admin/settings/logo/remove", "/admin/settings/look"),
            ("/admin/sessions", "/admin/sessions"),
            ("/admin/sessions/filters/remove", "/admin/sessions"),
            ("/admin/sessions/vs_1/erase", "/admin/sessions/vs_1/erase"),
            ("/admin/review/vs_1/assign", "/admin/review/vs_1"),
            ("/admin/review", "/admin/review"),
            ("/admin/review/vs_1/take", "/admin/review"),
            ("/admin/webhooks/secrets/whk_1/disable", "/admin/webhooks/secrets"),
            ("/admin/account/authenticator/confirm", "/admin/account/authenticator"),
        ] {
            assert_eq!(page_of_form(form).as_deref(), Some(page), "{form}");
        }
        for nowhere in [
            "/admin",
            "/admin/tenant",
            "/admin/sign-out",
            "/admin/confirm",
            "/v1/events",
        ] {
            assert_eq!(page_of_form(nowhere), None, "{nowhere}");
        }
    }
}
