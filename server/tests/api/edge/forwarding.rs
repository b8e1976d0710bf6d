//! Forwarding headers under attack: whatever a client writes into them itself, it is judged by the hop that a trusted proxy saw, and
//! an honest client is never taken for another.
//!
//! Planted faults that make this fail: reading the left-most hop; reading the first line only; skipping a hop that is no address;
//! reading the header that is not configured.

use crate::support::{SESSIONS, Server, add_tenant, settings};
use domain::tenant::TenantSettings;

/// On the tenant's allow-list, and off it.
const FRIEND: &str = "192.0.2.9";
const STRANGER: &str = "198.51.100.1";

/// What a client may have written before the proxy appended what it saw.
const LIES: [&str; 15] = [
    FRIEND,
    "192.0.2.9:443",
    "2001:db8::7",
    "[2001:db8::7]:80",
    "::ffff:192.0.2.9",
    "192.0.2.9, 192.0.2.9",
    "10.0.0.1",
    "192.0.2.9, 10.0.0.1, 127.0.0.1",
    "unknown",
    "\"192.0.2.9",
    "for=192.0.2.9;for=192.0.2.9",
    "",
    ",,",
    "3221225993",
    "192.0.2.9\t;\\",
];

/// The lines of header that arrive where a client that wrote `lie` is seen by a proxy as `seen`: the ways in which proxies append.
fn lines(header: &'static str, lie: &str, seen: &str) -> [Vec<(&'static str, String)>; 5] {
    let is_standard = header == "forwarded";
    let hop = |address: &str| match (is_standard, address.contains(':')) {
        (false, _) => address.to_owned(),
        (true, false) => format!("for={address}"),
        (true, true) => format!("for=\"[{address}]\""),
    };
    let lie = if is_standard && !lie.contains("for=") {
        format!("for={lie}")
    } else {
        lie.to_owned()
    };
    let with_port = if is_standard {
        format!("for=\"{seen}:4711\";proto=https")
    } else {
        format!("{seen}:4711")
    };
    let other = if is_standard {
        ("x-forwarded-for", FRIEND.to_owned())
    } else {
        ("forwarded", format!("for={FRIEND}"))
    };
    let seen_mapped = hop(&format!("::ffff:{seen}"));
    let seen = hop(seen);
    [
        vec![(header, format!("{lie}, {seen}"))],
        vec![(header, lie.clone()), (header, seen.clone())],
        vec![(header, format!("{lie},{with_port}"))],
        vec![(header, format!("{lie}, {seen}")), (header, hop("10.0.0.2"))],
        // And every other header in which addresses are passed on.
        vec![
            (header, lie),
            (header, seen_mapped),
            other,
            ("x-real-ip", FRIEND.into()),
            ("client-ip", FRIEND.into()),
        ],
    ]
}

/// Lines in which the last proxy does not say whom it saw: nobody on the list, for all we know.
fn unsaid(header: &'static str, lie: &str) -> [String; 4] {
    let name = if header == "forwarded" { "for=" } else { "" };
    ["unknown", "_hidden", "", "unknown, 10.0.0.2"].map(|seen| {
        let seen = seen.replace(", ", &format!(", {name}"));
        format!("{name}{lie}, {name}{seen}").replace("for=for=", "for=")
    })
}

#[tokio::test]
async fn a_hundred_and_fifty_spoofs_get_nowhere_and_none_keeps_an_honest_client_out() {
    let mut tried = 0;
    for header in ["x-forwarded-for", "forwarded"] {
        let server = Server::with(&format!(
            "[http]\ntrusted_proxies = [\"127.0.0.1\", \"10.0.0.0/8\"]\nforwarding_header = \"{header}\"\n"
        ))
        .await;
        let list = TenantSettings {
            ip_allow_list: vec!["192.0.2.0/24".parse().unwrap(), "2001:db8::/32".parse().unwrap()],
            ..settings()
        };
        let key = add_tenant(&server.app, list).await.key.expose().clone();
        for lie in LIES {
            for (seen, status) in [(STRANGER, 403), (FRIEND, 404)] {
                for lines in lines(header, lie, seen) {
                    assert_eq!(ask(&server, &key, &lines).await, status, "{lines:?}");
                    tried += 1;
                }
            }
            for line in unsaid(header, lie) {
                assert_eq!(ask(&server, &key, &[(header, line.clone())]).await, 403, "{line}");
            }
        }
    }
    assert_eq!(tried, 2 * 150);
}

/// The status for a session that does not exist: 404 for who may ask, 403 for who may not.
async fn ask(server: &Server, key: &str, lines: &[(&'static str, String)]) -> u16 {
    let bearer = format!("Bearer {key}");
    let mut headers = vec![("authorization", bearer.as_str())];
    headers.extend(lines.iter().map(|(name, value)| (*name, value.as_str())));
    server.send("GET", &format!("{SESSIONS}/x"), &headers, "").await.status
}
