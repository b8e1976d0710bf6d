//! Every page of the console with something to show, and what is wrong with its forms.

use crate::{
    access::privilege_escalation::operator,
    console::{Browser, ROUTES, path_of},
    support::{Server, between, settings},
};
use domain::{role::Role, tenant::TenantSettings, time::Millis};
use service::{
    jobs::worker::{Lane, Worker},
    people::set_up::set_up_link,
};

/// Words of the data on these pages, and of details in the audit log.
pub(super) const SAMPLE: &[&str] = &[
    "Example",
    "Shop",
    "Somebody",
    "Rita",
    "Olga",
    "Server",
    "first",
    "key",
    "admin",
    "auditor",
    "reviewing",
    "completed",
    "failed",
    "expired",
    "document",
    "selfie",
    "female",
    "Sample",
    "Town",
    "order",
];

/// A page as it was answered.
pub(super) struct Visit {
    /// Method and path, with the form if there was one.
    pub what: String,
    /// The HTML.
    pub body: String,
}

/// Forms that are refused or whose page shows something once: path and body.
const FORMS: &[(&str, &str)] = &[
    ("/admin/sign-in", "email=nobody%40shop.example&password=x"),
    (
        "/admin/account/password",
        "present=wrong&password=four+words+of+another+kind",
    ),
    ("/admin/account/password", "present=wrong&password=short"),
    ("/admin/account/passkeys", "name="),
    ("/admin/account/authenticator", ""),
    ("/admin/account/authenticator/confirm", "code=000000"),
    ("/admin/confirm", "password=wrong"),
    ("/admin/people", "name=&email=x&role=admin&tenant=T"),
    ("/admin/people", "name=Rita&email=x&role=auditor&tenant=of-another-page"),
    (
        "/admin/people",
        "name=Rita&email=rita%40shop.example&role=auditor&tenant=T",
    ),
    ("/admin/keys", "name=&scope=create"),
    ("/admin/keys", "name=Server&networks=x"),
    ("/admin/keys", "name=Server"),
    ("/admin/keys", "name=Server&scope=create&scope=read&days=30"),
    ("/admin/keys/KEY/revoke", ""),
    ("/admin/people/PERSON", "change=remove_factors"),
    (
        "/admin/webhooks/check",
        "headers=webhook-id%3A+evt_1%0Awebhook-timestamp%3A+1&body=x",
    ),
    ("/admin/webhooks/check", "headers=&body="),
    ("/admin/webhooks/secrets", ""),
    ("/admin/webhooks/secrets", ""),
    ("/admin/webhooks/secrets/SECRET/disable", ""),
    ("/admin/settings/look", "version=V&name=&accent=x&contact=x"),
    ("/admin/settings/look", "version=V&name=&accent="),
    (
        "/admin/settings/look",
        "version=V&name=Shop&accent=%23123456&preview=yes",
    ),
    ("/admin/settings/review", "version=V&review_target=x"),
    ("/admin/settings/steps", "version=V&tries=0"),
    ("/admin/settings/steps", "version=V&tries=0&step=document&step=selfie"),
    ("/admin/settings/steps", "version=V&tries=5"),
    ("/admin/settings/steps", "version=99&tries=4&step=document&step=selfie"),
    (
        "/admin/settings/lifetimes",
        "version=V&link_lifetime=1&session_lifetime=0.1&retention=0",
    ),
    (
        "/admin/settings/lifetimes",
        "version=V&link_lifetime=30&session_lifetime=24&retention=2",
    ),
    ("/admin/settings/decision", "version=V"),
    (
        "/admin/settings/decision",
        "version=V&match_accept=0.7&match_review=0.5&liveness_accept=0.6&liveness_review=0.2&duplicate_from=0.9&sampled=0",
    ),
    (
        "/admin/settings/callbacks",
        "version=V&callback_urls=http%3A%2F%2Fa%0Ahttps%3A%2F%2Fb%3F",
    ),
    (
        "/admin/settings/callbacks",
        "version=V&callback_urls=&judge=yes&test=http%3A%2F%2Fshop.example",
    ),
    (
        "/admin/settings/callbacks",
        "version=V&callback_urls=&judge=yes&test=https%3A%2F%2Fother.example%2F",
    ),
    (
        "/admin/settings/callbacks",
        "version=V&judge=yes&callback_urls=https%3A%2F%2Fshop.example%2Fdone&test=https%3A%2F%2Fshop.example%2Fdone",
    ),
    ("/admin/settings/addresses", "version=V&ip_allow_list=x"),
    ("/admin/settings/addresses", "version=V&ip_allow_list=192.0.2.1"),
    (
        "/admin/settings/webhook",
        "version=V&webhook_url=http%3A%2F%2Fshop.example",
    ),
    (
        "/admin/settings/webhook",
        "version=V&webhook_url=http%3A%2F%2Fshop.example&event=verification.approved",
    ),
    ("/admin/settings/logo", ""),
    ("/admin/settings/logo/remove", "version=V&name=Shop"),
];

/// Pages with a query, besides those of the routes.
const QUERIES: &[&str] = &[
    "/admin/sign-in?done=password",
    "/admin/sign-in?done=sign-out",
    "/admin/sign-in?done=not-saved",
    "/admin/settings/steps",
    "/admin/settings/decision",
    "/admin/settings/review",
    "/admin/settings/look",
    "/admin/settings/webhook",
    "/admin/settings/addresses",
    "/admin/settings/lifetimes",
    "/admin/settings/sign_in",
    "/admin/keys?state=ended",
    "/admin/keys?state=all",
    "/admin/people?state=disabled",
    "/admin/webhooks?state=delivered",
    "/admin/webhooks?state=pending",
    "/admin/requests?status=5xx",
    "/admin/audit?actor=usr_1",
];

async fn complete(server: &Server, outcome: &str) -> String {
    let id = server.create("{}").await["id"].as_str().unwrap().to_owned();
    let path = format!("/v1/sandbox/verification-sessions/{id}/complete");
    let completed = server
        .call("POST", &path, &format!(r#"{{"outcome":"{outcome}"}}"#))
        .await;
    assert_eq!(completed.status, 200, "{}", completed.body);
    id
}

/// Every page in Japanese.
pub(super) async fn every_page() -> Vec<Visit> {
    let server = Server::sandbox_with("[worker]\nembedded = false\n").await;
    let mut visits = Visits {
        server: &server,
        guest: Browser::new(&server),
        member: Browser::new(&server),
        seen: Vec::new(),
    };
    visits.guest.language = Some("ja");
    visits.set_up().await;
    let operator = operator(&server).await;
    visits.sign_in(Role::Admin).await;
    visits.before_there_is_anything().await;
    let receiver = TenantSettings {
        webhook_url: Some("https://192.168.0.1/hooks".into()),
        ..settings()
    };
    server.save_settings(Some(receiver)).await;
    for outcome in ["rejected", "failed", "expired"] {
        complete(&server, outcome).await;
    }
    let session = complete(&server, "needs_review").await;
    // A colleague.
    drop(Browser::signed_in(&server, Role::Auditor).await);
    let deliver = Worker::new(server.app.honnin.clone(), Lane::Deliver, 1);
    deliver.run_until_idle().await.unwrap();
    visits.forms().await;
    visits.routes(&session).await;
    for path in QUERIES {
        visits.get(path).await;
    }
    visits.member = operator;
    visits.member.language = Some("ja");
    visits.get("/admin/tenants").await;
    visits.send("POST", "/admin/tenants", "name=&mode=live").await;
    visits.send("POST", "/admin/tenants", "name=Shop").await;
    // By then, nothing has been delivered for a day.
    server.clock.advance(Millis::hours(25));
    visits.sign_in(Role::Developer).await;
    for path in ["/admin/webhooks", "/admin/people"] {
        visits.get(path).await;
    }
    visits.seen
}

/// Two browsers, and the pages they were shown.
struct Visits<'a> {
    server: &'a Server,
    guest: Browser<'a>,
    member: Browser<'a>,
    seen: Vec<Visit>,
}

impl Visits<'_> {
    async fn get(&mut self, path: &str) -> (u16, String) {
        self.send("GET", path, "").await
    }

    /// Sends a request as somebody who may. Keeps the page; files, pictures and redirects say nothing.
    async fn send(&mut self, method: &str, path: &str, form: &str) -> (u16, String) {
        let is_for_guests = ["sign-in", "set-up", "invitation/", "reset/"]
            .iter()
            .any(|start| path.starts_with(&format!("/admin/{start}")));
        let browser = if is_for_guests {
            &mut self.guest
        } else {
            &mut self.member
        };
        let answer = browser.send(method, path, form).await;
        let kind = answer.header("content-type").unwrap_or_default();
        if kind.starts_with("text/html") && answer.status != 303 {
            self.seen.push(Visit {
                what: format!("{method} {path} {form}"),
                body: answer.body.clone(),
            });
        }
        (answer.status, answer.body)
    }

    async fn sign_in(&mut self, role: Role) {
        self.member = Browser::signed_in(self.server, role).await;
        self.member.language = Some("ja");
    }

    async fn set_up(&mut self) {
        let link = set_up_link(&self.server.app.honnin).await.unwrap().unwrap();
        let path = link.expose().strip_prefix("https://id.example").unwrap();
        self.get(path).await;
        self.send("POST", path, "name=&email=x&password=short").await;
    }

    async fn before_there_is_anything(&mut self) {
        for path in [
            "",
            "/review",
            "/sessions",
            "/requests",
            "/webhooks",
            "/webhooks/unsent",
            "/webhooks/secrets",
        ] {
            self.get(&format!("/admin{path}")).await;
        }
        complete(self.server, "approved").await;
        for path in ["/admin/webhooks", "/admin/webhooks/unsent"] {
            self.get(path).await;
        }
    }

    async fn forms(&mut self) {
        for (path, form) in FORMS {
            let settings = self.member.get("/admin/settings/callbacks").await.body;
            let version = between(&settings, "name=\"version\" value=\"", &['"']);
            let form = form.replace("version=V", &format!("version={version}"));
            let form = form.replace("tenant=T", &format!("tenant={}", self.server.tenant));
            let path = self.with_id(path).await;
            let (status, page) = self.send("POST", &path, &form).await;
            // The key of an authenticator app is shown by the page that the form leads to.
            let leads_on = status == 303 && path == "/admin/account/authenticator";
            assert!(matches!(status, 200 | 201 | 422) || leads_on, "{path} {form}: {status}");
            if status == 201 && form.contains("name=Rita") {
                let invitation = between(&page, "<code>https://id.example", &['<']);
                self.get(invitation).await;
                self.send("POST", invitation, "password=passwordpassword").await;
            }
        }
    }

    /// A path with the id of the first thing that its page lists; of people, that of the colleague, since an
    /// admin changes neither themselves nor an operator.
    async fn with_id(&mut self, path: &str) -> String {
        for (placeholder, page, from, before) in [
            ("KEY", "/admin/keys", "", "/admin/keys/"),
            ("SECRET", "/admin/webhooks/secrets", "", "/admin/webhooks/secrets/"),
            ("PERSON", "/admin/people", "auditor@shop.example", "/admin/people/"),
        ] {
            if path.contains(placeholder) {
                let listed = self.member.get(page).await.body;
                let (_, listed) = listed.split_once(from).unwrap();
                return path.replace(placeholder, between(listed, before, &['/', '"']));
            }
        }
        path.to_owned()
    }

    /// Every route, with ids of nothing and with ids of something.
    async fn routes(&mut self, session: &str) {
        let deliveries = self.member.get("/admin/webhooks").await.body;
        let event = format!("evt_{}", between(&deliveries, "/admin/webhooks/evt_", &['"']));
        let nothing = "0".repeat(32);
        for (_, route, ..) in ROUTES.iter().filter(|(method, ..)| *method == "GET") {
            let path = path_of(route);
            self.get(&path).await;
            let path = path.replace(&format!("vs_{nothing}"), session);
            self.get(&path.replace(&format!("evt_{nothing}"), &event)).await;
        }
        self.get(&format!("/admin/webhooks/{event}?attempt=1")).await;
    }
}
