//! The console in a browser without scripts, and what it may open.

use super::support::{Answer, Server};
use domain::{role::Role, secret::Secret};
use service::{
    access::CommandLine,
    people::{NewPerson, accept_invitation::accept_invitation, invite::invite_from_here},
};
use std::fmt::Write as _;
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::TcpStream,
};

const PASSWORD: &str = "correct horse battery";

/// Keeps the console's cookie and sends `Sec-Fetch-Site`.
pub(crate) struct Browser<'a> {
    server: &'a Server,
    pub(crate) cookie: Option<String>,
    pub(crate) site: &'static str,
}

impl<'a> Browser<'a> {
    pub(crate) fn new(server: &'a Server) -> Self {
        Self {
            server,
            cookie: None,
            site: "same-origin",
        }
    }

    pub(crate) async fn send(&mut self, method: &str, path: &str, form: &str) -> Answer {
        let mut head = format!("{method} {path} HTTP/1.1\r\nhost: id.example\r\nconnection: close\r\n");
        write!(head, "sec-fetch-site: {}\r\n", self.site).unwrap();
        if let Some(cookie) = &self.cookie {
            write!(head, "cookie: __Host-console={cookie}\r\n").unwrap();
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
        if let Some(set) = answer.header("set-cookie") {
            let value = set.strip_prefix("__Host-console=").unwrap().split(';').next().unwrap();
            for part in ["HttpOnly", "Secure", "SameSite=Lax", "Path=/"] {
                assert!(value.is_empty() || set.contains(part), "{set}");
            }
            self.cookie = (!value.is_empty()).then(|| value.to_owned());
        }
        answer
    }

    pub(crate) async fn get(&mut self, path: &str) -> Answer {
        self.send("GET", path, "").await
    }

    pub(crate) async fn post(&mut self, path: &str, form: &str) -> Answer {
        self.send("POST", path, form).await
    }

    /// Signed in as a new person with `role`.
    pub(crate) async fn signed_in(server: &'a Server, role: Role) -> Self {
        Self::signed_in_as(server, role.as_str(), role).await
    }

    /// The same with a given name.
    pub(crate) async fn signed_in_as(server: &'a Server, name: &str, role: Role) -> Self {
        let email = format!("{name}@shop.example");
        let person = NewPerson {
            email: email.clone(),
            name: "Somebody".into(),
        };
        let (honnin, place) = (&server.app.honnin, Some((server.tenant.clone(), role)));
        let invited = invite_from_here(honnin, CommandLine::here(), place, false, person)
            .await
            .unwrap();
        let token = invited.link.expose().rsplit('/').next().unwrap();
        accept_invitation(honnin, token, Secret::new(PASSWORD.into()))
            .await
            .unwrap();
        let mut browser = Self::new(server);
        let entered = browser.sign_in(&email).await;
        assert_eq!((entered.status, entered.header("location")), (303, Some("/admin")));
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

/// Every page and form that requires a sign-in: method, path, and which roles may use it.
pub(crate) fn pages_that_require_sign_in() -> Vec<(&'static str, String, &'static [Role])> {
    const ALL: &[Role] = Role::ALL;
    const TECHNICAL: &[Role] = &[Role::Admin, Role::Developer];
    const CASES: &[Role] = &[Role::Admin, Role::Reviewer];
    const READERS: &[Role] = &[Role::Admin, Role::Reviewer, Role::Auditor];
    const ADMIN: &[Role] = &[Role::Admin];
    const AUDIT: &[Role] = &[Role::Admin, Role::Auditor];
    let session = format!("vs_{}", "0".repeat(32));
    let capture = format!("cap_{}", "0".repeat(32));
    vec![
        ("GET", "/admin".into(), ALL),
        ("GET", "/admin/account".into(), ALL),
        ("GET", "/admin/confirm".into(), ALL),
        ("GET", "/admin/sessions".into(), ALL),
        ("POST", "/admin/sessions".into(), READERS),
        ("GET", format!("/admin/sessions/{session}"), ALL),
        ("GET", "/admin/sessions/new".into(), CASES),
        ("POST", "/admin/sessions/new".into(), CASES),
        ("POST", format!("/admin/sessions/{session}/link"), CASES),
        ("POST", format!("/admin/sessions/{session}/reprocess"), CASES),
        ("POST", format!("/admin/sessions/{session}/complete"), CASES),
        ("POST", format!("/admin/sessions/{session}/advance"), CASES),
        ("GET", "/admin/requests".into(), TECHNICAL),
        ("GET", "/admin/webhooks/unsent".into(), TECHNICAL),
        ("POST", "/admin/webhooks/unsent".into(), TECHNICAL),
        ("GET", format!("/admin/sessions/{session}/erase"), ADMIN),
        ("POST", format!("/admin/sessions/{session}/erase"), ADMIN),
        ("POST", "/admin/account/password".into(), ALL),
        ("POST", format!("/admin/review/{session}/hold"), CASES),
        ("GET", "/admin/review".into(), CASES),
        ("GET", "/admin/review/cases".into(), CASES),
        ("GET", format!("/admin/review/{session}"), CASES),
        ("POST", format!("/admin/review/{session}/assign"), CASES),
        ("POST", format!("/admin/review/{session}"), CASES),
        ("POST", format!("/admin/review/{session}/undo"), CASES),
        ("GET", format!("/admin/pictures/{capture}/0"), CASES),
        ("GET", "/admin/settings".into(), TECHNICAL),
        ("POST", "/admin/settings/callbacks".into(), TECHNICAL),
        ("POST", "/admin/settings/logo".into(), ADMIN),
        ("POST", "/admin/settings/logo/remove".into(), ADMIN),
        ("GET", "/admin/decisions".into(), ALL),
        ("GET", "/admin/keys".into(), TECHNICAL),
        ("POST", "/admin/keys".into(), TECHNICAL),
        ("POST", format!("/admin/keys/key_{}/revoke", "0".repeat(32)), TECHNICAL),
        ("POST", format!("/admin/keys/key_{}/rotate", "0".repeat(32)), TECHNICAL),
        ("GET", "/admin/webhooks".into(), TECHNICAL),
        ("POST", "/admin/webhooks/test".into(), TECHNICAL),
        ("POST", "/admin/webhooks/again".into(), TECHNICAL),
        ("GET", "/admin/webhooks/check".into(), TECHNICAL),
        ("POST", "/admin/webhooks/check".into(), TECHNICAL),
        ("GET", "/admin/webhooks/secrets".into(), TECHNICAL),
        ("POST", "/admin/webhooks/secrets".into(), TECHNICAL),
        (
            "POST",
            format!("/admin/webhooks/secrets/whk_{}/disable", "0".repeat(32)),
            TECHNICAL,
        ),
        ("GET", format!("/admin/webhooks/evt_{}", "0".repeat(32)), TECHNICAL),
        (
            "POST",
            format!("/admin/webhooks/evt_{}/again", "0".repeat(32)),
            TECHNICAL,
        ),
        (
            "POST",
            format!("/admin/invitations/inv_{}/revoke", "0".repeat(32)),
            ADMIN,
        ),
        ("GET", "/admin/people".into(), ADMIN),
        ("POST", "/admin/people".into(), ADMIN),
        ("POST", format!("/admin/people/usr_{}", "0".repeat(32)), ADMIN),
        ("GET", "/admin/audit".into(), AUDIT),
        ("GET", "/admin/audit/export".into(), AUDIT),
        ("GET", "/admin/account/authenticator".into(), ALL),
        ("POST", "/admin/account/authenticator".into(), ALL),
        ("POST", "/admin/account/authenticator/confirm".into(), ALL),
        ("POST", "/admin/account/authenticator/remove".into(), ALL),
        ("POST", "/admin/account/challenge".into(), ALL),
        ("POST", "/admin/account/passkeys".into(), ALL),
        ("POST", "/admin/account/passkeys/AAAA/remove".into(), ALL),
        ("POST", "/admin/account/recovery-codes".into(), ALL),
        ("POST", "/admin/account/sessions/00/end".into(), ALL),
        ("POST", "/admin/tenant".into(), &[]),
    ]
}
