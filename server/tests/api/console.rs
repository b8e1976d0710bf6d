//! The console in a browser without scripts, and what it may open.

use super::support::{Answer, Server};
use domain::role::Role;
use service::{
    access::CommandLine,
    people::{
        NewPerson,
        invite::{Offer, invite_from_here},
    },
};
use std::fmt::Write as _;
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::TcpStream,
};

const PASSWORD: &str = "correct horse battery";

/// The cookie of a session.
const SESSION: &str = "__Host-console";
/// The cookie of a browser that somebody has signed in with.
const KNOWN: &str = "__Host-browser";

/// Keeps the console's cookies and sends `Sec-Fetch-Site`.
pub(crate) struct Browser<'a> {
    server: &'a Server,
    pub(crate) cookie: Option<String>,
    /// By which it is known to have been signed in with.
    pub(crate) known: Option<String>,
    pub(crate) site: &'static str,
    /// What it accepts, if it says so.
    pub(crate) language: Option<&'static str>,
}

impl<'a> Browser<'a> {
    pub(crate) fn new(server: &'a Server) -> Self {
        Self {
            server,
            cookie: None,
            known: None,
            site: "same-origin",
            language: None,
        }
    }

    pub(crate) async fn send(&mut self, method: &str, path: &str, form: &str) -> Answer {
        let mut head = format!("{method} {path} HTTP/1.1\r\nhost: id.example\r\nconnection: close\r\n");
        write!(head, "sec-fetch-site: {}\r\n", self.site).unwrap();
        let cookies = [(SESSION, &self.cookie), (KNOWN, &self.known)].into_iter();
        let cookies: Vec<_> = cookies
            .filter_map(|(name, value)| Some(format!("{name}={}", value.as_ref()?)))
            .collect();
        if !cookies.is_empty() {
            write!(head, "cookie: {}\r\n", cookies.join("; ")).unwrap();
        }
        if let Some(language) = self.language {
            write!(head, "accept-language: {language}\r\n").unwrap();
        }
        if method == "POST" {
            head.push_str("content-type: application/x-www-form-urlencoded\r\n");
        }
        write!(head, "content-length: {}\r\n\r\n{form}", form.len()).unwrap();
        let mut stream = TcpStream::connect(self.server.address).await.unwrap();
        stream.write_all(head.as_bytes()).await.unwrap();
        let mut bytes = Vec::new();
        drop(stream.read_to_end(&mut bytes).await);
        let answer = Answer::parse(&bytes);
        for (_, set) in answer.headers.iter().filter(|(name, _)| name == "set-cookie") {
            let (name, rest) = set.split_once('=').unwrap();
            let value = rest.split(';').next().unwrap();
            for part in ["HttpOnly", "Secure", "SameSite=Lax", "Path=/"] {
                assert!(set.contains(part), "a browser ignores {set}");
            }
            let kept = match name {
                SESSION => &mut self.cookie,
                KNOWN => &mut self.known,
                other => panic!("a cookie {other}"),
            };
            *kept = (!value.is_empty()).then(|| value.to_owned());
        }
        answer
    }

    pub(crate) async fn get(&mut self, path: &str) -> Answer {
        self.send("GET", path, "").await
    }

    pub(crate) async fn post(&mut self, path: &str, form: &str) -> Answer {
        self.send("POST", path, form).await
    }

    /// Signed in as a new person with `role`, who has just accepted an invitation.
    pub(crate) async fn signed_in(server: &'a Server, role: Role) -> Self {
        Self::signed_in_as(server, role.as_str(), role).await
    }

    /// The same with a given name.
    pub(crate) async fn signed_in_as(server: &'a Server, name: &str, role: Role) -> Self {
        let email = format!("{name}@shop.example");
        let person = NewPerson {
            email,
            name: "Somebody".into(),
        };
        let (honnin, offer) = (&server.app.honnin, Offer::of(server.tenant.clone(), role));
        let invited = invite_from_here(honnin, CommandLine::here(), offer, person)
            .await
            .unwrap();
        let path = invited.link.expose().strip_prefix("https://id.example").unwrap();
        let mut browser = Self::new(server);
        let form = format!("password={}", PASSWORD.replace(' ', "+"));
        let joined = browser.post(path, &form).await;
        assert_eq!((joined.status, joined.header("location")), (303, Some("/admin")));
        browser
    }

    /// Another browser of the same person.
    pub(crate) async fn another(&self, email: &str) -> Self {
        let mut browser = Self::new(self.server);
        assert_eq!(browser.sign_in(email).await.status, 303);
        browser
    }

    pub(crate) async fn sign_in(&mut self, email: &str) -> Answer {
        let form = format!(
            "email={}&password={}",
            email.replace('@', "%40"),
            PASSWORD.replace(' ', "+")
        );
        self.post("/admin/sign-in", &form).await
    }
}

/// What else is known about a route, besides the roles that may use it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mark {
    /// Open to people who are not signed in.
    Guest,
    /// Open to an operator in a tenant that is not their own.
    Operator,
    /// Asks again who somebody is, if they proved it more than ten minutes ago.
    StepUp,
    /// Open to people who still have to set up a second factor.
    WithoutFactor,
}

/// A route of the console: method, path as in the router, which roles may use it, and its marks.
pub(crate) type Row = (&'static str, &'static str, &'static [Role], &'static [Mark]);

const ALL: &[Role] = Role::ALL;
const TECHNICAL: &[Role] = &[Role::Admin, Role::Developer];
const CASES: &[Role] = &[Role::Admin, Role::Reviewer];
const ADMIN: &[Role] = &[Role::Admin];
const AUDIT: &[Role] = &[Role::Admin, Role::Auditor];
const READERS: &[Role] = &[Role::Admin, Role::Reviewer, Role::Auditor];
const GUEST: &[Mark] = &[Mark::Guest];
const OPERATOR: &[Mark] = &[Mark::Operator];
const STEP_UP: &[Mark] = &[Mark::StepUp];
const OPERATOR_STEP_UP: &[Mark] = &[Mark::Operator, Mark::StepUp];
const OWN: &[Mark] = &[Mark::Operator, Mark::WithoutFactor];
const OWN_STEP_UP: &[Mark] = &[Mark::Operator, Mark::WithoutFactor, Mark::StepUp];

/// Every route of the console. The router has no other: `every_route_of_the_console_has_a_row_and_every_row_a_route`.
pub(crate) const ROUTES: &[Row] = &[
    ("GET", "/admin/sign-in", ALL, GUEST),
    ("POST", "/admin/sign-in", ALL, GUEST),
    ("GET", "/admin/sign-in/code", ALL, GUEST),
    ("POST", "/admin/sign-in/code", ALL, GUEST),
    ("POST", "/admin/sign-in/passkey", ALL, GUEST),
    ("POST", "/admin/sign-in/challenge/{step}", ALL, GUEST),
    ("GET", "/admin/sign-in/openid", ALL, GUEST),
    ("GET", "/admin/sign-in/openid/callback", ALL, GUEST),
    ("GET", "/admin/set-up/{token}", ALL, GUEST),
    ("POST", "/admin/set-up/{token}", ALL, GUEST),
    ("GET", "/admin/invitation/{token}", ALL, GUEST),
    ("POST", "/admin/invitation/{token}", ALL, GUEST),
    ("GET", "/admin/invitation/{token}/openid", ALL, GUEST),
    ("GET", "/admin/reset/{token}", ALL, GUEST),
    ("POST", "/admin/reset/{token}", ALL, GUEST),
    ("GET", "/admin", ALL, OPERATOR),
    ("GET", "/admin/account", ALL, OWN),
    ("POST", "/admin/account/password", ALL, OWN),
    ("POST", "/admin/account/challenge", ALL, OWN),
    ("POST", "/admin/account/passkeys", ALL, OWN_STEP_UP),
    ("POST", "/admin/account/passkeys/challenge", ALL, OWN_STEP_UP),
    ("POST", "/admin/account/passkeys/{passkey}/remove", ALL, OWN_STEP_UP),
    ("POST", "/admin/account/recovery-codes", ALL, OWN_STEP_UP),
    ("POST", "/admin/account/sessions/{session}/end", ALL, OWN_STEP_UP),
    ("POST", "/admin/account/browsers/{browser}/forget", ALL, OWN_STEP_UP),
    ("GET", "/admin/account/authenticator", ALL, OWN),
    ("POST", "/admin/account/authenticator", ALL, OWN_STEP_UP),
    ("POST", "/admin/account/authenticator/confirm", ALL, OWN_STEP_UP),
    ("POST", "/admin/account/authenticator/remove", ALL, OWN_STEP_UP),
    ("GET", "/admin/confirm", ALL, OWN),
    ("POST", "/admin/confirm", ALL, OWN),
    ("GET", "/admin/confirm/openid", ALL, OWN),
    ("POST", "/admin/tenant", &[], OWN),
    ("POST", "/admin/sign-out", ALL, OWN),
    ("POST", "/admin/sign-out-everywhere", ALL, OWN),
    ("GET", "/admin/sessions", ALL, OPERATOR),
    ("POST", "/admin/sessions", READERS, &[]),
    ("GET", "/admin/sessions/export", ALL, OPERATOR_STEP_UP),
    ("POST", "/admin/sessions/resend", TECHNICAL, &[]),
    ("POST", "/admin/sessions/filters", ALL, OPERATOR),
    ("POST", "/admin/sessions/filters/remove", ALL, OPERATOR),
    ("GET", "/admin/sessions/new", CASES, &[]),
    ("POST", "/admin/sessions/new", CASES, &[]),
    ("GET", "/admin/sessions/{id}", ALL, OPERATOR),
    ("POST", "/admin/sessions/{id}/link", CASES, &[]),
    ("POST", "/admin/sessions/{id}/reprocess", CASES, &[]),
    ("POST", "/admin/sessions/{id}/complete", CASES, &[]),
    ("POST", "/admin/sessions/{id}/advance", CASES, &[]),
    ("GET", "/admin/sessions/{id}/erase", ADMIN, &[]),
    ("POST", "/admin/sessions/{id}/erase", ADMIN, &[]),
    ("GET", "/admin/review", CASES, &[]),
    ("POST", "/admin/review", CASES, &[]),
    ("GET", "/admin/review/cases", CASES, &[]),
    ("GET", "/admin/review/{id}", CASES, &[]),
    ("POST", "/admin/review/{id}", CASES, &[]),
    ("POST", "/admin/review/{id}/hold", CASES, &[]),
    ("POST", "/admin/review/{id}/assign", CASES, &[]),
    ("POST", "/admin/review/{id}/take", CASES, &[]),
    ("POST", "/admin/review/{id}/leave", CASES, &[]),
    ("POST", "/admin/review/{id}/undo", CASES, &[]),
    ("GET", "/admin/pictures/{capture}/{frame}", CASES, &[]),
    ("GET", "/admin/decisions", ALL, &[]),
    ("GET", "/admin/settings", TECHNICAL, &[]),
    ("GET", "/admin/settings/{section}", TECHNICAL, &[]),
    ("POST", "/admin/settings/{section}", TECHNICAL, &[]),
    ("POST", "/admin/settings/logo", ADMIN, &[]),
    ("POST", "/admin/settings/logo/remove", ADMIN, &[]),
    ("GET", "/admin/keys", TECHNICAL, &[]),
    ("POST", "/admin/keys", TECHNICAL, STEP_UP),
    ("POST", "/admin/keys/{id}/revoke", TECHNICAL, STEP_UP),
    ("POST", "/admin/keys/{id}/rotate", TECHNICAL, STEP_UP),
    ("GET", "/admin/webhooks", TECHNICAL, &[]),
    ("POST", "/admin/webhooks/test", TECHNICAL, &[]),
    ("POST", "/admin/webhooks/again", TECHNICAL, &[]),
    ("GET", "/admin/webhooks/check", TECHNICAL, &[]),
    ("POST", "/admin/webhooks/check", TECHNICAL, &[]),
    ("GET", "/admin/webhooks/secrets", TECHNICAL, &[]),
    ("POST", "/admin/webhooks/secrets", TECHNICAL, STEP_UP),
    ("POST", "/admin/webhooks/secrets/{id}/disable", TECHNICAL, STEP_UP),
    ("GET", "/admin/webhooks/unsent", TECHNICAL, &[]),
    ("POST", "/admin/webhooks/unsent", TECHNICAL, &[]),
    ("GET", "/admin/webhooks/{id}", TECHNICAL, &[]),
    ("POST", "/admin/webhooks/{id}/again", TECHNICAL, &[]),
    ("GET", "/admin/requests", TECHNICAL, &[]),
    ("GET", "/admin/people", ADMIN, OPERATOR),
    ("POST", "/admin/people", ADMIN, OPERATOR_STEP_UP),
    ("POST", "/admin/people/{id}", ADMIN, STEP_UP),
    ("POST", "/admin/invitations/{id}/revoke", ADMIN, OPERATOR_STEP_UP),
    ("GET", "/admin/tenants", &[], OPERATOR),
    ("POST", "/admin/tenants", &[], OPERATOR_STEP_UP),
    ("GET", "/admin/audit", AUDIT, OPERATOR),
    ("GET", "/admin/audit/export", AUDIT, OPERATOR_STEP_UP),
    ("POST", "/admin/audit/verify", AUDIT, OPERATOR_STEP_UP),
    ("GET", "/admin/{*nothing}", ALL, OPERATOR),
];

/// The path of a route with ids that are well formed and belong to nothing.
pub(crate) fn path_of(route: &str) -> String {
    let id = |prefix: &str| format!("{prefix}_{}", "0".repeat(32));
    let prefix = |folder: &str| match folder {
        "sessions" | "review" => "vs",
        "pictures" => "cap",
        "keys" => "key",
        "secrets" => "whk",
        "webhooks" => "evt",
        "invitations" => "inv",
        "people" => "usr",
        other => panic!("whose id follows {other}?"),
    };
    let mut path: Vec<String> = Vec::new();
    for part in route.split('/') {
        let folder = path.last().cloned().unwrap_or_default();
        path.push(match part {
            "{id}" | "{capture}" => id(prefix(&folder)),
            "{frame}" => "0".to_owned(),
            "{passkey}" | "{session}" => "00".to_owned(),
            "{section}" => "callbacks".to_owned(),
            "{step}" => "start".to_owned(),
            "{*nothing}" => "nothing".to_owned(),
            "{token}" => "A".repeat(43),
            _ => part.to_owned(),
        });
    }
    path.join("/")
}

/// Every page and form that requires a sign-in: method, path, and which roles may use it. Without those that end the session.
pub(crate) fn pages_that_require_sign_in() -> Vec<(&'static str, String, &'static [Role])> {
    let routes = ROUTES.iter().filter(|(_, path, _, marks)| {
        !marks.contains(&Mark::Guest) && !path.starts_with("/admin/sign-out") && *path != "/admin/confirm/openid"
    });
    routes
        .map(|(method, path, roles, _)| (*method, path_of(path), *roles))
        .collect()
}
