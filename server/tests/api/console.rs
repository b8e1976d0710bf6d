//! The console in a browser without scripts: authentication, forms, roles.

use super::support::{Answer, Server, between};
use axum::{
    body::{Body, to_bytes},
    extract::Request,
};
use domain::{role::Role, secret::Secret, time::Millis};
use service::{
    access::CommandLine,
    people::{NewPerson, accept_invitation::accept_invitation, invite::invite_from_here, set_up::set_up_link},
};
use std::fmt::Write as _;
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::TcpStream,
};
use totp_rs::{Builder, Totp};
use tower::ServiceExt as _;

const PASSWORD: &str = "correct horse battery";

/// Keeps the console's cookie and sends `Sec-Fetch-Site`.
pub(crate) struct Browser<'a> {
    server: &'a Server,
    cookie: Option<String>,
    site: &'static str,
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
    const ADMIN: &[Role] = &[Role::Admin];
    const AUDIT: &[Role] = &[Role::Admin, Role::Auditor];
    let session = format!("vs_{}", "0".repeat(32));
    let capture = format!("cap_{}", "0".repeat(32));
    vec![
        ("GET", "/admin".into(), ALL),
        ("GET", "/admin/account".into(), ALL),
        ("GET", "/admin/confirm".into(), ALL),
        ("GET", "/admin/sessions".into(), ALL),
        ("GET", format!("/admin/sessions/{session}"), ALL),
        ("GET", "/admin/sessions/new".into(), CASES),
        ("POST", "/admin/sessions/new".into(), CASES),
        ("POST", format!("/admin/sessions/{session}/link"), CASES),
        ("POST", format!("/admin/sessions/{session}/reprocess"), CASES),
        ("POST", format!("/admin/sessions/{session}/complete"), CASES),
        ("GET", format!("/admin/sessions/{session}/erase"), ADMIN),
        ("POST", format!("/admin/sessions/{session}/erase"), ADMIN),
        ("POST", "/admin/account/password".into(), ALL),
        ("POST", format!("/admin/review/{session}/hold"), CASES),
        ("GET", "/admin/review".into(), CASES),
        ("GET", format!("/admin/review/{session}"), CASES),
        ("POST", format!("/admin/review/{session}"), CASES),
        ("POST", format!("/admin/review/{session}/undo"), CASES),
        ("GET", format!("/admin/pictures/{capture}/0"), CASES),
        ("GET", "/admin/settings".into(), TECHNICAL),
        ("POST", "/admin/settings/callbacks".into(), TECHNICAL),
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

#[tokio::test]
async fn nobody_sees_a_page_without_signing_in() {
    let server = Server::new().await;
    for (method, path, _) in pages_that_require_sign_in() {
        let answer = Browser::new(&server).send(method, &path, "").await;
        let to = answer.header("location").unwrap_or_default();
        assert_eq!(answer.status, 303, "{method} {path}");
        assert!(to.starts_with("/admin/sign-in"), "{method} {path} goes to {to}");
        assert_eq!(answer.body, "", "{method} {path}");
    }
    let mut guessing = Browser::new(&server);
    guessing.cookie = Some("AAAAAAAAAAAAAAAAAAAAAA".into());
    assert_eq!(guessing.get("/admin/sessions").await.status, 303);
}

#[tokio::test]
async fn each_role_meets_403_where_it_may_not_go_and_nowhere_else() {
    let server = Server::new().await;
    for &role in Role::ALL {
        let mut browser = Browser::signed_in(&server, role).await;
        for (method, path, who) in pages_that_require_sign_in() {
            let answer = browser.send(method, &path, "").await;
            assert_eq!(
                answer.status == 403,
                !who.contains(&role),
                "{role:?} {method} {path}: {}",
                answer.status
            );
            assert!(answer.status < 500, "{role:?} {method} {path}: {}", answer.status);
        }
    }
}

#[tokio::test]
async fn a_page_without_the_middleware_in_front_of_it_shows_nothing() {
    for (pages, path) in [
        (app::routes::signed_in(), "/admin/people"),
        (app::routes::guests(), "/admin/sign-in"),
        (app::routes::capture(), "/capture/details"),
    ] {
        let request = Request::get(path).body(Body::empty()).unwrap();
        let answer = pages.oneshot(request).await.unwrap();
        assert_eq!(answer.status(), 500, "{path}");
        assert!(to_bytes(answer.into_body(), 1).await.unwrap().is_empty(), "{path}");
    }
}

#[tokio::test]
async fn a_page_holds_no_script_but_its_own_and_says_how_long_it_is() {
    let server = Server::new().await;
    let mut browser = Browser::signed_in(&server, Role::Admin).await;
    for path in ["/admin", "/admin/keys", "/admin/settings", "/admin/nothing", "/docs"] {
        let answer = browser.get(path).await;
        assert!(!answer.body.contains("<script"), "{path}");
        let length = answer.header("content-length").unwrap().parse();
        assert_eq!(length, Ok(answer.body.len()), "{path}");
    }
}

#[tokio::test]
async fn a_form_from_another_site_is_refused_signing_in_included() {
    let server = Server::new().await;
    let mut browser = Browser::signed_in(&server, Role::Admin).await;
    browser.site = "cross-site";
    for (method, path, _) in pages_that_require_sign_in() {
        let answer = browser.send(method, &path, "").await;
        assert_eq!(
            answer.status == 403,
            method == "POST",
            "{method} {path}: {}",
            answer.status
        );
    }
    for path in [
        "/admin/sign-in",
        "/admin/sign-out",
        "/admin/sign-out-everywhere",
        "/admin/confirm",
    ] {
        assert_eq!(browser.post(path, "").await.status, 403, "{path}");
    }
    browser.site = "same-origin";
    assert_eq!(browser.get("/admin").await.status, 200, "still signed in");
}

#[tokio::test]
async fn the_set_up_link_signs_the_first_person_in_once() {
    let server = Server::new().await;
    let link = set_up_link(&server.app.honnin).await.unwrap().unwrap();
    let path = link.expose().strip_prefix("https://id.example").unwrap().to_owned();
    let mut browser = Browser::new(&server);
    let page = browser.get(&path).await;
    assert!(page.status == 200 && page.body.contains("Example Shop"));
    let weak = browser
        .post(&path, "name=Ada&email=ada%40shop.example&password=short")
        .await;
    assert!(weak.status == 422 && weak.body.contains("at least 15 characters") && !weak.body.contains("short\""));
    let form = "name=Ada&email=ada%40shop.example&password=correct+horse+battery";
    assert_eq!(browser.post(&path, form).await.header("location"), Some("/admin"));
    assert_eq!(browser.get("/admin/people").await.status, 200);
    let mut late = Browser::new(&server);
    assert_eq!(late.get(&path).await.status, 404);
    assert_eq!(late.post(&path, form).await.status, 404);
}

#[tokio::test]
async fn signing_in_changes_the_cookie_and_signing_out_ends_it() {
    let server = Server::new().await;
    let mut browser = Browser::signed_in(&server, Role::Reviewer).await;
    let first = browser.cookie.clone().unwrap();
    browser.sign_in("reviewer@shop.example").await;
    let second = browser.cookie.clone().unwrap();
    assert_ne!(first, second);
    browser.cookie = Some(first);
    assert_eq!(browser.get("/admin").await.status, 303, "the old value is invalid");
    browser.cookie = Some(second.clone());
    assert_eq!(
        browser.post("/admin/sign-out", "").await.header("location"),
        Some("/admin/sign-in")
    );
    browser.cookie = Some(second);
    assert_eq!(browser.get("/admin").await.status, 303);
}

#[tokio::test]
async fn a_session_ends_idle_after_half_an_hour_and_in_any_case_after_twelve_hours() {
    let server = Server::new().await;
    let mut browser = Browser::signed_in(&server, Role::Reviewer).await;
    for _ in 0..24 {
        server.clock.advance(Millis::minutes(29));
        assert_eq!(browser.get("/admin").await.status, 200);
    }
    server.clock.advance(Millis::minutes(24));
    assert_eq!(browser.get("/admin").await.status, 303, "twelve hours are over");
    let again = browser.sign_in("reviewer@shop.example").await;
    assert_eq!(again.status, 303);
    server.clock.advance(Millis::minutes(30));
    assert_eq!(browser.get("/admin").await.status, 303, "idle for half an hour");
}

#[tokio::test]
async fn a_key_asks_for_the_password_again_after_ten_minutes_and_is_shown_once() {
    let server = Server::new().await;
    let mut browser = Browser::signed_in(&server, Role::Developer).await;
    server.clock.advance(Millis::minutes(10));
    let asked = browser.post("/admin/keys", "name=Till&scope=create").await;
    assert_eq!(asked.header("location"), Some("/admin/confirm?next=%2Fadmin%2Fkeys"));
    let form = "next=%2Fadmin%2Fkeys&password=correct+horse+battery";
    assert_eq!(
        browser.post("/admin/confirm", form).await.header("location"),
        Some("/admin/keys")
    );
    let issued = browser.post("/admin/keys", "name=Till&scope=create").await;
    assert!(issued.status == 201 && issued.body.contains("hn_live_"));
    let key = between(&issued.body, "<code>", &['<']).to_owned();
    let bearer = format!("Bearer {key}");
    let made = server
        .send("POST", super::support::SESSIONS, &[("authorization", &bearer)], "")
        .await;
    assert_eq!(made.status, 201);
    assert!(!browser.get("/admin/keys").await.body.contains(&key));
}

#[tokio::test]
async fn a_session_made_by_hand_shows_its_link_once_and_can_get_another() {
    let server = Server::new().await;
    let mut browser = Browser::signed_in(&server, Role::Reviewer).await;
    let bad = browser.post("/admin/sessions/new", "metadata=%7Bnot+json").await;
    assert!(bad.status == 422 && bad.body.contains("not valid JSON"));
    let made = browser
        .post(
            "/admin/sessions/new",
            "metadata=%7B%22order%22%3A%22A-17%22%7D&lastName=Tanaka",
        )
        .await;
    assert!(made.status == 200 && made.body.contains("https://id.example/v/") && made.body.contains("<svg"));
    let found = browser.get("/admin/sessions?metadata=a-17").await;
    let id = between(&found.body, "/admin/sessions/vs_", &['"']).to_owned();
    let page = browser.get(&format!("/admin/sessions/vs_{id}")).await;
    assert!(page.body.contains("Tanaka") && !page.body.contains("/v/"));
    let again = browser.post(&format!("/admin/sessions/vs_{id}/link"), "").await;
    assert!(again.body.contains("https://id.example/v/"));
    let mut developer = Browser::signed_in(&server, Role::Developer).await;
    let seen = developer.get(&format!("/admin/sessions/vs_{id}")).await;
    assert!(
        seen.status == 200 && !seen.body.contains("Tanaka"),
        "no personal data for developers"
    );
}

#[tokio::test]
async fn settings_are_saved_by_section_and_mistakes_come_back_with_what_was_typed() {
    let server = Server::new().await;
    let mut browser = Browser::signed_in(&server, Role::Admin).await;
    let page = browser.get("/admin/settings").await;
    let version = between(&page.body, "name=\"version\" value=\"", &['"']).to_owned();
    let wrong = browser
        .post(
            "/admin/settings/addresses",
            &format!("version={version}&ip_allow_list=300.1.2.3"),
        )
        .await;
    assert!(wrong.status == 422 && wrong.body.contains("300.1.2.3 is not an IP address"));
    let saved = browser
        .post(
            "/admin/settings/steps",
            &format!("version={version}&step=selfie&tries=3&confirmed=yes"),
        )
        .await;
    assert_eq!(saved.header("location"), Some("/admin/settings#steps"));
    let page = browser.get("/admin/settings").await;
    assert!(page.body.contains("Saved.") && page.body.contains("value=\"3\""));
    assert!(
        !browser.get("/admin/settings").await.body.contains("Saved."),
        "shown once"
    );
    let stale = browser
        .post(
            "/admin/settings/steps",
            &format!("version={version}&step=document&tries=5"),
        )
        .await;
    assert!(stale.status == 422 && stale.body.contains("Somebody else has changed"));
    let version = between(
        &browser.get("/admin/settings").await.body,
        "name=\"version\" value=\"",
        &['"'],
    )
    .to_owned();
    let decision = |from: &str| {
        format!(
            "version={version}&match_accept=0.83&match_review=0.5&liveness_accept=0.6&liveness_review=0.2&accepted=visual\
             &find_duplicates=yes&duplicate_from={from}&sampled=0.05"
        )
    };
    let loose = browser.post("/admin/settings/decision", &decision("0.6")).await;
    assert!(
        loose.status == 422 && loose.body.contains("value=\"0.6\""),
        "one face is compared with all"
    );
    let asked = browser.post("/admin/settings/decision", &decision("0.995")).await;
    assert!(
        asked.status == 200 && asked.body.contains("Nothing is saved yet"),
        "{}",
        asked.body
    );
    assert!(
        asked.body.contains("by its appearance") && !asked.body.contains("name=\"password\""),
        "just signed in"
    );
    assert!(browser.get("/admin/settings").await.body.contains("value=\"0.99\""));
    server.clock.advance(Millis::minutes(5));
    let asked = browser.post("/admin/settings/decision", &decision("0.995")).await;
    assert!(asked.body.contains("name=\"password\"") && asked.body.contains("name=\"confirmed\""));
    let confirmed = |password: &str| format!("{}&confirmed=yes&password={password}", decision("0.995"));
    let refused = browser.post("/admin/settings/decision", &confirmed("not+it")).await;
    assert!(refused.status == 422 && refused.body.contains("The password is incorrect"));
    assert!(refused.body.contains("value=\"0.995\"") && !refused.body.contains("not it"));
    let saved = browser
        .post("/admin/settings/decision", &confirmed("correct+horse+battery"))
        .await;
    assert_eq!(saved.header("location"), Some("/admin/settings#decision"));
    let page = browser.get("/admin/settings").await.body;
    let ticked = between(&page, "name=\"find_duplicates\"", &['>']);
    assert!(ticked.contains("checked") && page.contains("value=\"0.995\"") && page.contains("value=\"0.05\""));
    let tested = browser
        .get("/admin/settings?test=https%3A%2F%2Fshop.example%2Fdone")
        .await;
    assert!(tested.body.contains("Allowed."));
}

#[tokio::test]
async fn a_decision_on_a_case_is_undone_with_a_form_and_needs_a_reason_to_reject() {
    let server = Server::sandbox().await;
    let id = server.create("{}").await["id"].as_str().unwrap().to_owned();
    let complete = format!("/v1/sandbox/verification-sessions/{id}/complete");
    let completed = server.call("POST", &complete, r#"{"outcome":"needs_review"}"#).await;
    assert_eq!(completed.status, 200);
    let mut browser = Browser::signed_in(&server, Role::Reviewer).await;
    let case = format!("/admin/review/{id}");
    let page = browser.get(&case).await.body;
    let ticked: Vec<&str> = page
        .split("<input type=\"checkbox\"")
        .skip(1)
        .filter_map(|tag| {
            tag.split_once('>')?
                .0
                .contains("checked")
                .then(|| between(tag, "value=\"", &['"']))
        })
        .collect();
    assert!(!ticked.is_empty(), "the system's reasons are ticked");
    let unreasoned = browser.post(&case, "decision=reject&note=Not+her.").await;
    assert!(unreasoned.status == 422 && unreasoned.body.contains("Choose at least one reason"));
    assert!(
        unreasoned.body.contains("Not her.") && !unreasoned.body.contains(" checked"),
        "as it was sent"
    );
    let reasons: String = ticked.iter().map(|reason| format!("&reason={reason}")).collect();
    let rejected = browser.post(&case, &format!("decision=reject{reasons}")).await;
    assert_eq!(rejected.header("location"), Some("/admin/review"));
    let undo = format!("{case}/undo");
    assert!(browser.get("/admin").await.body.contains(&format!("action=\"{undo}\"")));
    assert_eq!(browser.post(&undo, "").await.header("location"), Some(&*case));
    assert!(!browser.get("/admin").await.body.contains(&undo));
    let late = browser.post(&undo, "").await;
    assert!(late.status == 422 && late.body.contains("can no longer be undone"));
    assert_eq!(
        browser.post(&case, &format!("decision=reject{reasons}")).await.status,
        303
    );
    server.clock.advance(Millis::seconds(10));
    assert!(!browser.get("/admin").await.body.contains(&undo), "its time is over");
}

/// Sets up an authenticator app for the browser's person. Returns it with the recovery codes.
async fn with_app(server: &Server, browser: &mut Browser<'_>) -> (Totp, Vec<String>) {
    let begun = browser.post("/admin/account/authenticator", "").await;
    assert_eq!(begun.status, 201);
    let secret = totp_rs::Secret::try_from_base32(between(&begun.body, "<code>", &['<'])).unwrap();
    let app = Builder::new().with_secret(secret).build().unwrap();
    let wrong = browser
        .post("/admin/account/authenticator/confirm", "code=000000")
        .await;
    assert!(wrong.status == 422 && wrong.body.contains("used before") && wrong.body.contains("<code>"));
    let form = format!("code={}", shown_code(server, &app));
    let done = browser.post("/admin/account/authenticator/confirm", &form).await;
    assert!(done.status == 201, "{}", done.body);
    let codes = done
        .body
        .split("<li><code>")
        .skip(1)
        .map(|rest| rest.split_once('<').unwrap().0.to_owned());
    (app, codes.collect())
}

fn shown_code(server: &Server, app: &Totp) -> String {
    let seconds = u64::try_from(server.app.honnin.now().as_seconds()).unwrap();
    app.generate(seconds).to_string()
}

#[tokio::test]
async fn with_the_password_alone_a_person_with_a_second_factor_gets_nowhere() {
    let server = Server::new().await;
    let mut rita = Browser::signed_in_as(&server, "rita", Role::Admin).await;
    let (app, codes) = with_app(&server, &mut rita).await;
    assert_eq!(codes.len(), 10);
    let mut browser = Browser::new(&server);
    let half = browser.sign_in("rita@shop.example").await;
    assert_eq!(half.header("location"), Some("/admin/sign-in/code?next=%2Fadmin"));
    for (method, path, _) in pages_that_require_sign_in() {
        let answer = browser.send(method, &path, "").await;
        let to = answer.header("location").unwrap_or_default();
        assert!(
            answer.status == 303 && to.starts_with("/admin/sign-in"),
            "{method} {path}: {} {to}",
            answer.status
        );
    }
    assert!(browser.get("/admin/sign-in/code").await.body.contains("one-time-code"));
    let refused = browser.post("/admin/sign-in/code", "code=000000").await;
    assert!(refused.status == 422 && refused.body.contains("incorrect or was used before"));
    let before = browser.cookie.clone();
    server.clock.advance(Millis::seconds(30));
    let form = format!("code={}&next=%2Fadmin%2Fkeys", shown_code(&server, &app));
    let entered = browser.post("/admin/sign-in/code", &form).await;
    assert_eq!((entered.status, entered.header("location")), (303, Some("/admin/keys")));
    assert_ne!(browser.cookie, before, "a new session");
    assert_eq!(browser.get("/admin/keys").await.status, 200);
    // Somebody else with the same code, and somebody who waits too long.
    let mut late = Browser::new(&server);
    late.sign_in("rita@shop.example").await;
    assert_eq!(late.post("/admin/sign-in/code", &form).await.status, 422, "used");
    server.clock.advance(Millis::minutes(10));
    let over = late.post("/admin/sign-in/code", &format!("code={}", codes[0])).await;
    assert_eq!(over.header("location"), Some("/admin/sign-in"));
    assert_eq!(
        Browser::new(&server)
            .get("/admin/sign-in/code")
            .await
            .header("location"),
        Some("/admin/sign-in")
    );
}

#[tokio::test]
async fn a_step_up_asks_for_the_second_factor_where_there_is_one() {
    let server = Server::new().await;
    let mut rita = Browser::signed_in_as(&server, "rita", Role::Admin).await;
    let (_, codes) = with_app(&server, &mut rita).await;
    server.clock.advance(Millis::minutes(10));
    let asked = rita.post("/admin/keys", "name=Till&scope=create").await;
    assert_eq!(asked.header("location"), Some("/admin/confirm?next=%2Fadmin%2Fkeys"));
    let page = rita.get("/admin/confirm?next=%2Fadmin%2Fkeys").await;
    assert!(page.body.contains("name=\"code\"") && !page.body.contains("name=\"password\""));
    let password = "next=%2Fadmin%2Fkeys&password=correct+horse+battery";
    assert_eq!(
        rita.post("/admin/confirm", password).await.status,
        422,
        "not the password"
    );
    let code = format!("next=%2Fadmin%2Fkeys&code={}", codes[0]);
    assert_eq!(
        rita.post("/admin/confirm", &code).await.header("location"),
        Some("/admin/keys")
    );
    assert_eq!(rita.post("/admin/keys", "name=Till&scope=create").await.status, 201);
}

#[tokio::test]
async fn a_person_sees_their_browsers_and_signs_one_out() {
    let server = Server::new().await;
    let mut here = Browser::signed_in_as(&server, "rita", Role::Reviewer).await;
    let mut there = here.another("rita@shop.example").await;
    let mut stranger = Browser::signed_in_as(&server, "otto", Role::Admin).await;
    let page = here.get("/admin/account").await.body;
    assert_eq!(page.matches("this browser").count(), 1);
    let end = format!(
        "/admin/account/sessions/{}/end",
        between(&page, "/admin/account/sessions/", &['/'])
    );
    assert_eq!(
        page.matches("/admin/account/sessions/").count(),
        1,
        "this one is not offered"
    );
    assert_eq!(stranger.post(&end, "").await.status, 404);
    assert_eq!(there.get("/admin").await.status, 200);
    assert_eq!(here.post(&end, "").await.header("location"), Some("/admin/account"));
    assert_eq!(there.get("/admin").await.status, 303, "signed out");
    assert_eq!(here.get("/admin").await.status, 200);
}

#[tokio::test]
async fn the_audit_log_is_filtered_and_exported() {
    let server = Server::new().await;
    let mut auditor = Browser::signed_in(&server, Role::Auditor).await;
    server.create("{}").await;
    let page = auditor.get("/admin/audit?action=session.create").await.body;
    assert!(page.contains("Key “") && !page.contains("<td>signed in"), "{page}");
    let csv = auditor
        .get("/admin/audit/export?format=csv&action=session.create")
        .await;
    let kind = csv.header("content-type").map(str::to_owned);
    assert_eq!((csv.status, kind.as_deref()), (200, Some("text/csv; charset=utf-8")));
    assert_eq!(
        csv.header("content-disposition"),
        Some("attachment; filename=\"audit.csv\"")
    );
    assert_eq!(csv.body.lines().count(), 2, "{}", csv.body);
    let lines = auditor.get("/admin/audit/export?format=jsonl").await.body;
    let first: serde_json::Value = serde_json::from_str(lines.lines().next().unwrap()).unwrap();
    assert_eq!(first["action"], "audit.export");
    let none = auditor.get("/admin/audit?from=2030-01-01").await.body;
    assert!(none.contains("No entries match"));
}
