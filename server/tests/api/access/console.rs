//! The console's authentication: who may open its pages, whose forms it takes, and how long a sign-in lasts.

use super::{
    privilege_escalation::{operator, operator_elsewhere},
    tenant_isolation::routes::routes,
};
use crate::{
    console::{Browser, Mark, ROUTES, Row, pages_that_require_sign_in, path_of},
    support::{Answer, SESSIONS, Server, add_tenant, between, settings},
};
use axum::{
    body::{Body, to_bytes},
    extract::Request,
};
use domain::{
    role::Role,
    tenant::TenantSettings,
    time::{ManualClock, Millis},
};
use service::runtime::random::{Random, SystemRandom};
use std::{
    collections::BTreeSet,
    sync::{Arc, OnceLock},
};
use testkit::databases::WriteLock;
use tower::ServiceExt as _;

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
async fn every_route_of_the_console_has_a_row_and_every_row_a_route() {
    let server = Server::new().await;
    let routes = routes(&server.app).into_iter();
    let routes: BTreeSet<String> = routes.filter(|route| route.contains(" /admin")).collect();
    let rows: BTreeSet<String> = ROUTES
        .iter()
        .map(|(method, path, ..)| format!("{method} {path}"))
        .collect();
    let missing: Vec<_> = routes.difference(&rows).collect();
    let gone: Vec<_> = rows.difference(&routes).collect();
    assert!(
        missing.is_empty() && gone.is_empty(),
        "without a row: {missing:?}; without a route: {gone:?}"
    );
}

/// Somebody who opens every route.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Visitor {
    Nobody,
    /// With a cookie that was never issued.
    Guessing,
    Role(Role),
    OperatorElsewhere,
    /// The same, signed in more than ten minutes ago.
    StaleOperatorElsewhere,
    /// Signed in more than ten minutes ago.
    Stale(Role),
    /// Away for half an hour.
    Idle(Role),
    /// Where a second factor is required.
    WithoutFactor(Role),
}

/// What a route answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Meets {
    SignIn,
    Forbidden,
    /// The page that asks again who somebody is, or the form that does so itself.
    StepUp,
    /// The page on which a second factor is set up.
    Account,
    /// Something else, which is no error of ours: the page, or what is wrong with an empty form or an id of nothing.
    Answer,
}

impl Visitor {
    fn all() -> Vec<Self> {
        let roles = Role::ALL.iter().copied();
        let of_roles = roles.flat_map(|role| {
            [
                Self::Role(role),
                Self::Stale(role),
                Self::Idle(role),
                Self::WithoutFactor(role),
            ]
        });
        [
            Self::Nobody,
            Self::Guessing,
            Self::OperatorElsewhere,
            Self::StaleOperatorElsewhere,
        ]
        .into_iter()
        .chain(of_roles)
        .collect()
    }

    fn expects(self, (_, _, roles, marks): &Row) -> Meets {
        let open = |role: &Role| roles.contains(role);
        let has = |mark: Mark| marks.contains(&mark);
        match self {
            _ if has(Mark::Guest) => Meets::Answer,
            Self::Nobody | Self::Guessing | Self::Idle(_) => Meets::SignIn,
            Self::WithoutFactor(_) if !has(Mark::WithoutFactor) => Meets::Account,
            Self::Role(role) | Self::Stale(role) | Self::WithoutFactor(role) if !open(&role) => Meets::Forbidden,
            Self::OperatorElsewhere | Self::StaleOperatorElsewhere if !has(Mark::Operator) => Meets::Forbidden,
            Self::Stale(_) | Self::StaleOperatorElsewhere if has(Mark::StepUp) => Meets::StepUp,
            _ => Meets::Answer,
        }
    }

    /// A server, and the cookie of this visitor there.
    async fn arrive(self) -> (Server, Option<String>) {
        let mut server = Server::new().await;
        let cookie = match self {
            Self::Nobody => None,
            Self::Guessing => Some("AAAAAAAAAAAAAAAAAAAAAA".to_owned()),
            Self::OperatorElsewhere | Self::StaleOperatorElsewhere => operator_elsewhere(&mut server).await.cookie,
            Self::Role(role) | Self::Stale(role) | Self::Idle(role) | Self::WithoutFactor(role) => {
                Browser::signed_in(&server, role).await.cookie
            }
        };
        match self {
            Self::Stale(_) | Self::StaleOperatorElsewhere => server.clock.advance(Millis::minutes(10)),
            Self::Idle(_) => server.clock.advance(Millis::minutes(30)),
            Self::WithoutFactor(_) => {
                let required = TenantSettings {
                    second_factor_required: true,
                    ..settings()
                };
                server.save_settings(Some(required)).await;
            }
            _ => {}
        }
        (server, cookie)
    }
}

/// Whether a form was refused because somebody has not proved again who they are; it asks for that, and keeps what was typed.
fn asks_for_proof(page: &str) -> bool {
    let asked = [
        "Enter your password.",
        "Enter the code.",
        "Confirm first that it is you.",
    ];
    asked.iter().any(|sentence| page.contains(sentence))
}

fn met(answer: &Answer, path: &str) -> Meets {
    let to = answer.header("location").unwrap_or_default();
    match answer.status {
        403 => Meets::Forbidden,
        // Some routes lead there because nothing was typed.
        303 if to.starts_with("/admin/sign-in") && !path.starts_with("/admin/sign-in") => Meets::SignIn,
        303 if to.starts_with("/admin/confirm") => Meets::StepUp,
        422 if asks_for_proof(&answer.body) && path != "/admin/confirm" => Meets::StepUp,
        303 if to == "/admin/account" && answer.body.is_empty() && !path.starts_with("/admin/account") => {
            Meets::Account
        }
        _ => Meets::Answer,
    }
}

/// Routes by visitors. The session is restored for each route, since some end it.
#[tokio::test]
async fn each_visitor_gets_what_the_table_of_routes_says_and_nothing_else() {
    let mut wrong = Vec::new();
    for visitor in Visitor::all() {
        let (server, cookie) = visitor.arrive().await;
        let mut browser = Browser::new(&server);
        for row in ROUTES {
            let (method, route, ..) = row;
            let (path, expected) = (path_of(route), visitor.expects(row));
            if path.starts_with("/admin/sign-out") && expected == Meets::Answer {
                // It ends the session that the other routes need; signing_in_changes_the_cookie_and_signing_out_ends_it.
                continue;
            }
            browser.cookie.clone_from(&cookie);
            let answer = browser.send(method, &path, "").await;
            let met = met(&answer, &path);
            if met != expected || answer.status >= 500 || answer.status == 0 {
                wrong.push(format!(
                    "{visitor:?} {method} {path}: {met:?} ({}) and not {expected:?}",
                    answer.status
                ));
            }
            let may_say_more = matches!(expected, Meets::Answer | Meets::Forbidden) || answer.status == 422;
            if !answer.body.is_empty() && !may_say_more {
                wrong.push(format!("{visitor:?} {method} {path}: a body"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// From another site, somebody who may use these pages gets each of them, and may send none of their forms.
async fn refuses_every_form(browser: &mut Browser<'_>, pages: &[(&'static str, String, &'static [Role])]) {
    browser.site = "cross-site";
    for (method, path, _) in pages {
        let status = browser.send(method, path, "").await.status;
        assert_eq!(status == 403, *method == "POST", "{method} {path}: {status}");
    }
}

#[tokio::test]
async fn a_form_from_another_site_is_refused_signing_in_included() {
    let mut server = Server::new().await;
    let (of_admins, of_operators): (Vec<_>, Vec<_>) = pages_that_require_sign_in()
        .into_iter()
        .partition(|(_, _, roles)| roles.contains(&Role::Admin));
    assert!(!of_operators.is_empty());
    let mut operator = operator_elsewhere(&mut server).await;
    refuses_every_form(&mut operator, &of_operators).await;
    let mut browser = Browser::signed_in(&server, Role::Admin).await;
    refuses_every_form(&mut browser, &of_admins).await;
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

/// To a browser, every site of our domain is the same site, and has our cookies sent with what it fetches.
#[tokio::test]
async fn another_site_may_lead_somebody_to_a_page_and_may_not_fetch_it() {
    let server = Server::new().await;
    let rita = Browser::signed_in(&server, Role::Admin).await;
    let cookie = format!("__Host-console={}", rita.cookie.clone().unwrap());
    let page = async |site: &str, mode: &str, destination: &str| {
        let headers = [
            ("cookie", &*cookie),
            ("sec-fetch-site", site),
            ("sec-fetch-mode", mode),
            ("sec-fetch-dest", destination),
        ];
        server.send("GET", "/admin/sessions", &headers, "").await
    };
    for site in ["same-site", "cross-site"] {
        assert_eq!(page(site, "navigate", "document").await.status, 200, "a link on {site}");
        for (mode, destination) in [("no-cors", "image"), ("cors", "empty"), ("navigate", "iframe")] {
            let fetched = page(site, mode, destination).await;
            assert_eq!(fetched.status, 403, "{site} {mode} {destination}");
            let shown = fetched.body;
            assert!(!shown.contains("href=\"/admin/sessions\""), "as to a stranger: {shown}");
        }
    }
    assert_eq!(page("same-origin", "cors", "empty").await.status, 200, "our own script");
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
    let late = browser.get("/admin").await;
    assert_eq!(late.status, 303, "the old value is invalid");
    assert_eq!(
        late.header("set-cookie"),
        None,
        "it may be answered after the sign-in, whose cookie stays"
    );
    browser.cookie = Some(second.clone());
    let signed_out = browser.post("/admin/sign-out", "").await;
    assert_eq!(signed_out.header("location"), Some("/admin/sign-in"));
    assert_eq!(
        signed_out.header("set-cookie"),
        Some("__Host-console=; HttpOnly; SameSite=Lax; Secure; Path=/; Max-Age=0")
    );
    assert_eq!(browser.cookie, None);
    browser.cookie = Some(second);
    assert_eq!(browser.get("/admin").await.status, 303);
}

/// A page that was asked for before a confirmation may arrive after it, and with an old value the browser would be signed out.
#[tokio::test]
async fn an_answer_sets_the_cookie_only_if_its_value_changes() {
    let server = Server::new().await;
    let mut browser = Browser::signed_in(&server, Role::Reviewer).await;
    let before = browser.cookie.clone();
    // When somebody was last seen is noted to the minute: this request changes the session.
    server.clock.advance(Millis::minutes(2));
    let seen = browser.get("/admin").await;
    assert_eq!((seen.status, seen.header("set-cookie")), (200, None));
    let confirmed = browser.post("/admin/confirm", "password=correct+horse+battery").await;
    let set = confirmed.header("set-cookie").unwrap();
    assert!(
        set.contains("Max-Age=43200"),
        "it lasts as long as a session can: {set}"
    );
    assert_ne!(browser.cookie, before);
    // It shows the notice, which leaves the session.
    let told = browser.get("/admin").await;
    assert_eq!((told.status, told.header("set-cookie")), (200, None));
    assert!(told.body.contains("Thank you. You can continue."), "{}", told.body);
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
async fn a_form_sent_after_the_session_has_ended_leads_back_to_its_page_and_is_said_to_be_lost() {
    let server = Server::new().await;
    let pages: Vec<String> = ROUTES
        .iter()
        .filter(|(method, ..)| *method == "GET")
        .map(|(_, path, ..)| path_of(path))
        .collect();
    let mut browser = Browser::signed_in(&server, Role::Developer).await;
    server.clock.advance(Millis::minutes(30));
    for (method, path, _) in pages_that_require_sign_in() {
        if method == "GET" {
            continue;
        }
        let to = browser.post(&path, "").await.header("location").unwrap().to_owned();
        let rest = to.strip_prefix("/admin/sign-in?done=not-saved");
        let rest = rest.unwrap_or_else(|| panic!("{path}: {to}"));
        if ["/admin/tenant", "/admin/confirm"].contains(&path.as_str()) {
            assert_eq!(rest, "", "{path}");
            continue;
        }
        let next = rest.strip_prefix("&next=").unwrap_or_else(|| panic!("{path}: {to}"));
        // Each section of the settings is such a page.
        let next = next.replace("%2F", "/").replace("settings/look", "settings/callbacks");
        assert!(pages.contains(&next), "{path}: {next}");
    }
    let filtered = browser.post("/admin/review/vs_1/undo?document=passport", "").await;
    assert_eq!(
        filtered.header("location"),
        Some("/admin/sign-in?done=not-saved&next=%2Fadmin%2Freview%2Fvs_1%3Fdocument%3Dpassport")
    );
    let taken = browser.post("/admin/review/vs_1/take?document=passport", "").await;
    assert_eq!(
        taken.header("location"),
        Some("/admin/sign-in?done=not-saved&next=%2Fadmin%2Freview%3Fdocument%3Dpassport"),
        "the queue, which reserves no case"
    );
    let out = browser.post("/admin/sign-out", "").await;
    assert_eq!(
        out.header("location"),
        Some("/admin/sign-in"),
        "nothing was to be saved"
    );
    let page = browser
        .get("/admin/sign-in?done=not-saved&next=%2Fadmin%2Fkeys")
        .await
        .body;
    assert!(
        page.contains("You were signed out. What you sent was not saved.")
            && page.contains("name=\"next\" value=\"/admin/keys\""),
        "{page}"
    );
    assert!(!browser.get("/admin/sign-in").await.body.contains("not saved"));
}

#[tokio::test]
async fn what_was_proved_while_the_clock_was_ahead_does_not_count_once_it_is_right() {
    let server = Server::new().await;
    let mut browser = Browser::signed_in(&server, Role::Developer).await;
    let other = browser.another("developer@shop.example").await.cookie;
    server.clock.jump(Millis::minutes(20));
    let confirmed = browser.post("/admin/confirm", "password=correct+horse+battery").await;
    assert_eq!(confirmed.status, 303);
    assert_eq!(browser.post("/admin/keys", "name=Till&scope=create").await.status, 201);
    server.clock.jump(Millis::hours(-1));
    let issued = browser.post("/admin/keys", "name=Till&scope=create").await;
    assert_eq!(
        (issued.status, issued.header("location")),
        (303, Some("/admin/sign-in?done=not-saved&next=%2Fadmin%2Fkeys"))
    );
    // Somebody who signed in by a clock that was right before it went back signs in again as well.
    let mut browser = Browser::new(&server);
    browser.cookie = other;
    assert_eq!(browser.get("/admin").await.status, 303);
    assert_eq!(browser.sign_in("developer@shop.example").await.status, 303);
    assert_eq!(browser.get("/admin").await.status, 200);
}

#[tokio::test]
async fn a_key_asks_for_the_password_again_after_ten_minutes_and_is_shown_once() {
    let server = Server::new().await;
    let mut browser = Browser::signed_in(&server, Role::Developer).await;
    assert!(!browser.get("/admin/keys").await.body.contains("name=\"password\""));
    server.clock.advance(Millis::minutes(10));
    assert!(browser.get("/admin/keys").await.body.contains("name=\"password\""));
    let form = "name=Till&scope=create&networks=192.0.2.0%2F24";
    for (password, why) in [
        ("", "Enter your password."),
        ("&password=wrong", "The password is incorrect."),
    ] {
        let asked = browser.post("/admin/keys", &format!("{form}{password}")).await;
        assert_eq!(asked.status, 422, "{why}");
        assert!(asked.body.contains(why), "{}", asked.body);
        assert!(
            asked.body.contains("value=\"Till\"") && asked.body.contains("192.0.2.0/24"),
            "kept"
        );
        assert!(!asked.body.contains("value=\"wrong\""), "a password is not");
    }
    // What else is wrong does not ask for the password twice.
    let right = "&password=correct+horse+battery";
    let before = browser.cookie.clone();
    let nameless = browser.post("/admin/keys", &format!("scope=create{right}")).await;
    assert!(
        nameless.status == 422 && !nameless.body.contains("name=\"password\""),
        "{}",
        nameless.body
    );
    let confirmed = std::mem::replace(&mut browser.cookie, before);
    assert_ne!(confirmed, browser.cookie);
    assert_eq!(browser.get("/admin").await.status, 303, "the old value is invalid");
    browser.cookie = confirmed;
    let issued = browser.post("/admin/keys", "name=Till&scope=create").await;
    assert!(issued.status == 201 && issued.body.contains("hn_live_"));
    let key = between(&issued.body, "<code>", &['<']).to_owned();
    let bearer = format!("Bearer {key}");
    let made = server.send("POST", SESSIONS, &[("authorization", &bearer)], "").await;
    assert_eq!(made.status, 201);
    assert!(!browser.get("/admin/keys").await.body.contains(&key));
}

/// Takes a minute to draw an API key, once it has a clock.
#[derive(Default)]
struct SlowKeys(OnceLock<Arc<ManualClock>>);

impl Random for SlowKeys {
    fn fill(&self, bytes: &mut [u8]) {
        // Nothing else that is drawn here has so many bytes.
        if bytes.len() == 20
            && let Some(clock) = self.0.get()
        {
            clock.advance(Millis::minutes(1));
        }
        SystemRandom.fill(bytes);
    }
}

/// Detects if the clock is asked again after a form was checked: whoever has a stolen session would never have to prove anything.
#[tokio::test]
async fn a_form_that_was_sent_just_in_time_renews_no_proof_however_long_it_takes() {
    let random = Arc::new(SlowKeys::default());
    let server = Server::with_random(Arc::clone(&random) as _).await;
    let mut browser = Browser::signed_in(&server, Role::Developer).await;
    server.clock.advance(Millis::minutes(9));
    random.0.set(Arc::clone(&server.clock)).unwrap();
    let (cookie, issue) = (browser.cookie.clone(), "name=Till&scope=create");
    let issued = browser.post("/admin/keys", issue).await;
    assert_eq!(issued.status, 201, "{}", issued.body);
    assert_eq!(browser.cookie, cookie, "it changes with a proof");
    let late = browser.post("/admin/keys", issue).await;
    assert_eq!(late.status, 422, "eleven minutes after the only proof");
}

#[tokio::test]
async fn an_unknown_address_in_the_console_is_answered_by_the_console() {
    let server = Server::new().await;
    let mut browser = Browser::signed_in(&server, Role::Reviewer).await;
    for (path, status, title) in [
        ("/admin/nothing", 404, "Not found"),
        ("/admin/nothing/at/all", 404, "Not found"),
        ("/admin/keys", 403, "Not part of your role"),
    ] {
        let answer = browser.get(path).await;
        assert_eq!(answer.status, status, "{path}");
        assert!(answer.body.contains(&format!("<h1>{title}</h1>")), "{}", answer.body);
        assert!(answer.body.contains("href=\"/admin/sessions\""), "with the navigation");
        assert!(
            !answer.body.contains("aria-current=\"page\""),
            "which marks nothing: {}",
            answer.body
        );
    }
    let guest = Browser::new(&server).get("/admin/nothing").await;
    assert_eq!(guest.header("location"), Some("/admin/sign-in?next=%2Fadmin%2Fnothing"));
    let closed = Browser::new(&server)
        .get(&format!("/admin/reset/{}", "A".repeat(43)))
        .await;
    assert!(
        closed.body.contains("href=\"/admin/sign-in\"") && closed.body.contains("Go to sign-in"),
        "{}",
        closed.body
    );
}

#[tokio::test]
async fn the_console_is_found_at_its_address_with_a_slash_as_well() {
    let server = Server::new().await;
    let answer = server.send("GET", "/admin/", &[], "").await;
    assert_eq!((answer.status, answer.header("location")), (308, Some("/admin")));
    assert_eq!(server.send("POST", "/admin/", &[], "").await.status, 404);
}

/// Any other site of the domain can set such a cookie: to a browser, its name does not begin with `__Host-`.
#[tokio::test]
async fn a_cookie_whose_name_is_only_decoded_to_ours_takes_nobody_to_another_account() {
    let server = Server::new().await;
    let mut rita = Browser::signed_in_as(&server, "rita", Role::Admin).await;
    let otto = Browser::signed_in_as(&server, "otto", Role::Admin).await;
    let [own, other] = [&rita, &otto].map(|browser| browser.cookie.clone().unwrap());
    for name in ["%5F_Host-console", "\u{2003}__Host-console"] {
        let cookies = format!("__Host-console={own}; {name}={other}");
        let page = server.send("GET", "/admin/account", &[("cookie", &*cookies)], "").await;
        assert_eq!(page.status, 200, "{name}");
        assert!(page.body.contains("rita@shop.example"), "{name}: {}", page.body);
        assert!(!page.body.contains("otto@shop.example"), "{name}: {}", page.body);
    }
    assert_eq!(rita.get("/admin/account").await.status, 200);
}

/// A form that waits for the database began when its browser worked in one tenant, and ends when it works in another.
#[tokio::test]
async fn a_slow_request_takes_back_nothing_that_another_tab_has_changed_meanwhile() {
    let server = Server::without_worker().await;
    let mut operator = operator(&server).await;
    let other = add_tenant(&server.app, settings()).await.id;
    // When somebody was last seen is noted to the minute: both requests change the session.
    server.clock.advance(Millis::minutes(2));
    let cookie = format!("__Host-console={}", operator.cookie.clone().unwrap());
    let headers = [
        ("sec-fetch-site", "same-origin"),
        ("content-type", "application/x-www-form-urlencoded"),
        ("cookie", &*cookie),
    ];
    let held = WriteLock::acquire(&server.database_url()).await;
    let wrong = "present=wrong&password=four+words+of+another+kind";
    let slow = server.send("POST", "/admin/account/password", &headers, wrong);
    let choice = format!("tenant={other}");
    let switch = operator.post("/admin/tenant", &choice);
    let release = async {
        for _ in 0..5 {
            assert_eq!(server.send("GET", "/admin/sign-in", &[], "").await.status, 200);
        }
        held.release().await;
    };
    let (slow, switched, ()) = tokio::join!(slow, switch, release);
    assert_eq!(slow.status, 422, "{}", slow.body);
    assert_eq!(switched.header("location"), Some("/admin"));
    assert_eq!(
        operator.get("/admin/keys").await.status,
        403,
        "they work in the tenant that they switched to, which is not their own"
    );
}
