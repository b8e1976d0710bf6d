//! Signing in to the console with an OpenID provider: whom it lets in, and everything it must not.

mod provider;

use crate::support::{Answer, Server, between};
use domain::{
    ids::UserId,
    role::Role,
    secret::Secret,
    time::{Millis, Timestamp},
};
use provider::{Change, Provider, Signing, fields};
use serde_json::json;
use service::{
    access::{CommandLine, staff},
    jobs::worker::{Lane, Worker},
    people::{
        NewPerson,
        accept_invitation::accept_invitation,
        invite::{Offer, invite_from_here},
        openid::{is_linked, unlink_from_here},
        reset_password::issue_reset_from_here,
        second_factor::{begin_authenticator, confirm_authenticator},
    },
};
use sha2::{Digest as _, Sha256};
use std::collections::BTreeMap;
use store::{
    audit_chain, audit_export,
    people::{
        second_factors::{self, PasskeyRow},
        users,
    },
};

const EMAIL: &str = "rei@shop.example";
const PASSWORD: &str = "correct horse battery";
const BEGIN: &str = "/admin/sign-in/openid";
const CALLBACK: &str = "/admin/sign-in/openid/callback";
/// The cookie of browsers that do not say where a link is from.
const HERE: &str = "__Host-here";

/// A browser with all its cookies.
struct Browser<'a> {
    server: &'a Server,
    cookies: BTreeMap<String, String>,
    /// Empty for a browser that does not say it.
    site: &'static str,
}

impl<'a> Browser<'a> {
    const fn new(server: &'a Server) -> Self {
        Self {
            server,
            cookies: BTreeMap::new(),
            site: "same-origin",
        }
    }

    async fn send(&mut self, method: &str, path: &str, form: &str) -> Answer {
        let cookies: Vec<_> = self
            .cookies
            .iter()
            .map(|(name, value)| format!("{name}={value}"))
            .collect();
        let cookies = cookies.join("; ");
        let mut headers = vec![
            ("content-type", "application/x-www-form-urlencoded"),
            ("cookie", &*cookies),
        ];
        if !self.site.is_empty() {
            headers.push(("sec-fetch-site", self.site));
        }
        let answer = self.server.send(method, path, &headers, form).await;
        for (_, set) in answer.headers.iter().filter(|(name, _)| name == "set-cookie") {
            let (pair, rest) = set.split_once(';').unwrap();
            let (name, value) = pair.split_once('=').unwrap();
            assert!(name.starts_with("__Host-"), "{set}");
            let same_site = if name == HERE {
                "SameSite=Strict"
            } else {
                "SameSite=Lax"
            };
            for part in ["HttpOnly", "Secure", same_site, "Path=/"] {
                assert!(rest.contains(part), "a browser ignores {set}");
            }
            match value {
                "" => self.cookies.remove(name),
                value => self.cookies.insert(name.to_owned(), value.to_owned()),
            };
        }
        answer
    }

    async fn get(&mut self, path: &str) -> Answer {
        self.send("GET", path, "").await
    }

    /// Begins at `path`; returns where the browser is sent to.
    async fn begin(&mut self, path: &str) -> String {
        let answer = self.get(path).await;
        assert_eq!(answer.status, 303, "{}", answer.body);
        answer.header("location").unwrap().to_owned()
    }

    /// Comes back from the provider. Another site sends the browser here.
    async fn come_back(&mut self, location: &str, code: &str) -> Answer {
        self.get_from_elsewhere(&callback(location, code)).await
    }

    async fn get_from_elsewhere(&mut self, path: &str) -> Answer {
        self.site = "cross-site";
        let answer = self.get(path).await;
        self.site = "same-origin";
        answer
    }

    /// Signs in with the provider from the beginning to the end.
    async fn sign_in(&mut self, provider: &Provider, change: Change) -> Answer {
        let location = self.begin(BEGIN).await;
        let code = provider.sign_in(&location, Signing::Key, change);
        self.come_back(&location, &code).await
    }

    async fn is_signed_in(&mut self) -> bool {
        self.get("/admin").await.status == 200
    }
}

fn callback(location: &str, code: &str) -> String {
    let asked = fields(location.split_once('?').unwrap().1);
    assert_eq!(asked["redirect_uri"], format!("https://id.example{CALLBACK}"));
    format!("{CALLBACK}?state={}&code={code}", asked["state"])
}

const AS_IT_IS: Change = |_| {};

/// The token of an invitation.
async fn invite(server: &Server, email: &str, role: Role) -> String {
    let person = NewPerson {
        email: email.to_owned(),
        name: "Rei Reviewer".into(),
    };
    let offer = Offer::of(server.tenant.clone(), role);
    let invited = invite_from_here(&server.app.honnin, CommandLine::here(), offer, person);
    let link = invited.await.unwrap().link;
    link.expose().rsplit('/').next().unwrap().to_owned()
}

/// Somebody with a password who has not used the provider yet.
async fn add_person(server: &Server, email: &str) -> UserId {
    let token = invite(server, email, Role::Admin).await;
    accept_invitation(
        &server.app.honnin,
        &token,
        Secret::new(PASSWORD.into()),
        &testkit::client_at(testkit::localhost()),
    )
    .await
    .unwrap()
    .user
}

async fn world() -> (Provider, Server) {
    let provider = Provider::start().await;
    let server = Server::with(&provider.settings()).await;
    add_person(&server, EMAIL).await;
    (provider, server)
}

/// What the audit log says about signing in: action and detail, oldest first.
async fn entries(server: &Server) -> Vec<(String, Option<String>)> {
    let unit = server.app.honnin.db().write(async |tx| {
        audit_chain::seal(tx, 1000).await?;
        audit_export::list(tx, 0, 1000).await
    });
    let about = ["person.sign_in", "person.sign_in_refused", "person.link_account"];
    let all = unit.await.unwrap().into_iter();
    all.filter(|entry| about.contains(&&*entry.action))
        .map(|entry| (entry.action, entry.detail))
        .collect()
}

#[tokio::test]
async fn the_first_visit_links_an_invited_account_by_its_verified_address_and_later_ones_find_it_by_its_subject() {
    let (provider, server) = world().await;
    let page = Browser::new(&server).get("/admin/sign-in?next=/admin/keys").await;
    assert!(
        page.body
            .contains("href=\"/admin/sign-in/openid?next=%2Fadmin%2Fkeys\""),
        "{}",
        page.body
    );
    assert!(page.body.contains("Sign in with Example Login"));

    let mut browser = Browser::new(&server);
    let location = browser.begin(&format!("{BEGIN}?next=/admin/keys")).await;
    assert!(
        location.starts_with(&format!("{}/authorize?kept=1&response_type=code&", provider.issuer())),
        "{location}"
    );
    let code = provider.sign_in(&location, Signing::Key, AS_IT_IS);
    let answer = browser.come_back(&location, &code).await;
    assert_eq!(
        (answer.status, answer.header("location")),
        (303, Some("/admin/keys")),
        "{}",
        answer.body
    );
    assert!(browser.is_signed_in().await);
    let left: Vec<_> = browser.cookies.keys().map(String::as_str).collect();
    assert_eq!(
        left,
        ["__Host-browser", "__Host-console"],
        "the attempt's cookie is gone"
    );

    let mut later = Browser::new(&server);
    let answer = later
        .sign_in(&provider, |claims| claims["email"] = json!("renamed@shop.example"))
        .await;
    assert_eq!(answer.status, 303);
    assert!(later.is_signed_in().await);
    assert_eq!(provider.asked_for_keys(), 1, "kept");

    let signed_in = |detail: &str| ("person.sign_in".to_owned(), Some(detail.to_owned()));
    let linked = ("person.link_account".to_owned(), Some("openid".to_owned()));
    // They joined with another one than either.
    let first = signed_in("openid, new browser: unknown");
    assert_eq!(entries(&server).await, [linked, first.clone(), first]);

    let out = browser.send("POST", "/admin/sign-out", "").await;
    assert_eq!(out.header("location"), Some("/admin/sign-in?done=sign-out"));
    let page = browser.get("/admin/sign-in?done=sign-out").await;
    let end = between(&page.body, &format!("href=\"{}", provider.issuer()), &['"']).replace("&amp;", "&");
    assert_eq!(
        end,
        "/end?client_id=honnin&post_logout_redirect_uri=https%3A%2F%2Fid.example%2Fadmin%2Fsign-in"
    );
}

#[tokio::test]
async fn a_token_that_is_not_for_this_sign_in_by_this_provider_and_now_is_refused() {
    let (provider, server) = world().await;
    let cases: [(&str, Signing, Change); 12] = [
        ("wrong nonce", Signing::Key, |claims| claims["nonce"] = json!("another")),
        ("no nonce", Signing::Key, |claims| {
            drop(claims.as_object_mut().unwrap().remove("nonce"))
        }),
        ("wrong audience", Signing::Key, |claims| {
            claims["aud"] = json!("another")
        }),
        ("wrong issuer", Signing::Key, |claims| {
            claims["iss"] = json!("https://login.evil.example")
        }),
        ("expired", Signing::Key, |claims| {
            claims["exp"] = json!(claims["iat"].as_i64().unwrap() - 60)
        }),
        ("from the future", Signing::Key, |claims| {
            claims["iat"] = json!(claims["iat"].as_i64().unwrap() + 61)
        }),
        ("no subject", Signing::Key, |claims| claims["sub"] = json!("")),
        ("alg none", Signing::None, AS_IT_IS),
        ("signed with the client's secret", Signing::Secret, AS_IT_IS),
        ("forged", Signing::Forged, AS_IT_IS),
        ("unknown key", Signing::AnotherName, AS_IT_IS),
        ("asked for by another party", Signing::Key, |claims| {
            claims["azp"] = json!("another")
        }),
    ];
    for (what, signing, change) in cases {
        let mut browser = Browser::new(&server);
        let location = browser.begin(BEGIN).await;
        let code = provider.sign_in(&location, signing, change);
        let before = provider.asked_for_keys();
        let answer = browser.come_back(&location, &code).await;
        assert_eq!(answer.status, 403, "{what}: {}", answer.body);
        assert!(answer.body.contains("was not accepted"), "{what}: {}", answer.body);
        assert!(!browser.is_signed_in().await, "{what}");
        let once_more = u32::from(matches!(signing, Signing::AnotherName));
        assert_eq!(
            provider.asked_for_keys() - before,
            once_more,
            "{what}: how often the keys were asked for"
        );
    }
    let refused = (
        "person.sign_in_refused".to_owned(),
        Some("openid: the provider's answer was refused".to_owned()),
    );
    assert_eq!(entries(&server).await, vec![refused; cases.len()]);
}

#[tokio::test]
async fn a_new_key_of_the_provider_is_fetched_when_it_is_first_used() {
    let (provider, server) = world().await;
    assert_eq!(Browser::new(&server).sign_in(&provider, AS_IT_IS).await.status, 303);
    provider.rotate(true);
    assert_eq!(Browser::new(&server).sign_in(&provider, AS_IT_IS).await.status, 303);
    assert_eq!(Browser::new(&server).sign_in(&provider, AS_IT_IS).await.status, 303);
    assert_eq!(provider.asked_for_keys(), 2);
    // One that it does not publish is nobody's.
    provider.rotate(false);
    assert_eq!(Browser::new(&server).sign_in(&provider, AS_IT_IS).await.status, 403);
    assert_eq!(provider.asked_for_keys(), 3);
    // What was fetched is not used forever: the provider may have withdrawn it.
    server.clock.advance(Millis::minutes(61));
    Browser::new(&server).begin(BEGIN).await;
    assert_eq!(provider.asked_for_keys(), 4);
}

#[tokio::test]
async fn an_answer_belongs_to_one_attempt_of_one_browser_and_is_good_once() {
    let (provider, server) = world().await;
    let closed = |answer: &Answer, what: &str| {
        assert_eq!(answer.status, 400, "{what}: {}", answer.body);
        assert!(answer.body.contains("Start again"), "{what}: {}", answer.body);
    };
    let mut browser = Browser::new(&server);
    let location = browser.begin(BEGIN).await;
    let attempt = browser.cookies.clone();
    let code = provider.sign_in(&location, Signing::Key, AS_IT_IS);

    // Somebody sends their own answer to others, who would work in the wrong account.
    let mut stranger = Browser::new(&server);
    closed(
        &stranger.come_back(&location, &code).await,
        "a browser without an attempt",
    );
    stranger.begin(BEGIN).await;
    closed(
        &stranger.come_back(&location, &code).await,
        "the attempt of another browser",
    );

    assert_eq!(browser.come_back(&location, &code).await.status, 303);
    let mut again = Browser::new(&server);
    again.cookies = attempt;
    closed(&again.come_back(&location, &code).await, "the same state again");
    let second = provider.sign_in(&location, Signing::Key, AS_IT_IS);
    closed(
        &again.come_back(&location, &second).await,
        "the same state with a new code",
    );

    let mut other = Browser::new(&server);
    let fresh = other.begin(BEGIN).await;
    let replayed = other.come_back(&fresh, &code).await;
    assert_eq!(replayed.status, 403, "a code again: {}", replayed.body);

    let mut slow = Browser::new(&server);
    let location = slow.begin(BEGIN).await;
    let code = provider.sign_in(&location, Signing::Key, AS_IT_IS);
    server.clock.advance(Millis::minutes(10));
    closed(&slow.come_back(&location, &code).await, "after ten minutes");

    let mut forger = Browser::new(&server);
    let location = forger.begin(BEGIN).await;
    let sealed = forger.cookies.get_mut("__Host-sign-in").unwrap();
    let changed = if sealed.as_bytes()[40] == b'A' { "B" } else { "A" };
    sealed.replace_range(40..41, changed);
    closed(&forger.come_back(&location, "x").await, "a cookie that was changed");
    for browser in [&mut stranger, &mut again, &mut other, &mut slow, &mut forger] {
        assert!(!browser.is_signed_in().await);
    }
}

/// A browser does not store a cookie whose name and value have more than 4096 bytes together.
#[tokio::test]
async fn the_cookie_of_an_attempt_holds_an_address_of_1024_bytes_at_most_and_is_short_enough_to_be_stored() {
    let (_provider, server) = world().await;
    let page = "%2Fadmin%2Fsessions%3Fmetadata%3D";
    // With "/admin/sessions?metadata=", 999 more bytes make 1024. A quotation mark takes two bytes in the cookie.
    for (marks, is_kept) in [(999, true), (1000, false)] {
        let mut browser = Browser::new(&server);
        let next = format!("{page}{}", "%22".repeat(marks));
        browser.begin(&format!("{BEGIN}?next={next}")).await;
        let name = "__Host-sign-in";
        let length = name.len() + browser.cookies[name].len();
        assert_eq!(length > 2048, is_kept, "{marks}: {length}");
        assert!(length <= 4096, "{marks}: {length}");
    }
}

#[tokio::test]
async fn another_provider_and_a_person_who_declined_are_told_apart_before_a_code_is_sent_anywhere() {
    let (provider, server) = world().await;
    let mut browser = Browser::new(&server);
    let location = browser.begin(BEGIN).await;
    let code = provider.sign_in(&location, Signing::Key, AS_IT_IS);
    let mixed_up = format!("{}&iss=https%3A%2F%2Flogin.evil.example", callback(&location, &code));
    assert_eq!(browser.get_from_elsewhere(&mixed_up).await.status, 403);

    let location = browser.begin(BEGIN).await;
    let declined = format!("{}&error=access_denied", callback(&location, ""));
    let answer = browser.get_from_elsewhere(&declined).await;
    assert_eq!(answer.status, 403);
    assert!(answer.body.contains("did not sign you in"), "{}", answer.body);
}

#[tokio::test]
async fn only_people_who_were_invited_come_in_and_only_with_an_address_that_the_provider_vouches_for() {
    let (provider, server) = world().await;
    let cases: [(&str, Change); 3] = [
        ("not invited", |claims| claims["email"] = json!("stranger@shop.example")),
        ("not verified", |claims| claims["email_verified"] = json!(false)),
        ("no address", |claims| claims["email"] = json!(null)),
    ];
    for (what, change) in cases {
        let answer = Browser::new(&server).sign_in(&provider, change).await;
        assert_eq!(answer.status, 403, "{what}");
        assert!(
            answer.body.contains("You do not have an account"),
            "{what}: {}",
            answer.body
        );
    }
    assert_eq!(Browser::new(&server).sign_in(&provider, AS_IT_IS).await.status, 303);
    // An account is linked to one person at the provider, whoever gets the address later.
    let answer = Browser::new(&server)
        .sign_in(&provider, |claims| claims["sub"] = json!("u-2"))
        .await;
    assert_eq!(answer.status, 403);
    assert!(answer.body.contains("another account"), "{}", answer.body);
    unlink_from_here(&server.app.honnin, CommandLine::here(), EMAIL)
        .await
        .unwrap();
    let answer = Browser::new(&server)
        .sign_in(&provider, |claims| claims["sub"] = json!("u-2"))
        .await;
    assert_eq!(answer.status, 303, "{}", answer.body);

    disable(&server).await;
    let answer = Browser::new(&server)
        .sign_in(&provider, |claims| claims["sub"] = json!("u-2"))
        .await;
    assert_eq!(answer.status, 403, "disabled");
}

/// Detects if an account that was found by its link is let in without another look at the link.
#[tokio::test]
async fn an_account_that_is_unlinked_while_somebody_signs_in_with_it_lets_nobody_in() {
    let (provider, server) = world().await;
    assert_eq!(Browser::new(&server).sign_in(&provider, AS_IT_IS).await.status, 303);
    // Whoever signs in locks the account, which was found before.
    let unlinked = "CREATE TRIGGER unlinked BEFORE UPDATE ON users BEGIN DELETE FROM provider_accounts; END";
    server.run(unlinked).await;
    let mut late = Browser::new(&server);
    let answer = late.sign_in(&provider, AS_IT_IS).await;
    assert_eq!(answer.status, 403, "{}", answer.body);
    assert!(!late.is_signed_in().await);
    server.run("DROP TRIGGER unlinked").await;
    let answer = late.sign_in(&provider, AS_IT_IS).await;
    assert_eq!(answer.status, 303, "the link is as it was: {}", answer.body);
}

async fn disable(server: &Server) {
    let now = server.app.honnin.now();
    let unit = server.app.honnin.db().write(async move |tx| {
        let mut user = users::find_by_email(tx, EMAIL).await?.unwrap();
        user.disabled_at = Some(now);
        users::save(tx, &user).await
    });
    unit.await.unwrap();
}

#[tokio::test]
async fn a_sensitive_action_needs_the_same_person_to_sign_in_at_the_provider_again() {
    let (provider, server) = world().await;
    let mut browser = Browser::new(&server);
    assert_eq!(browser.sign_in(&provider, AS_IT_IS).await.status, 303);
    let issue = "name=Till&scope=create";
    // The provider may have known them from this morning, so signing in is no proof.
    let asked = browser.send("POST", "/admin/keys", issue).await;
    assert_eq!(asked.status, 422, "{}", asked.body);
    assert!(asked.body.contains("Confirm first that it is you."), "{}", asked.body);
    assert!(asked.body.contains("value=\"Till\"") && asked.body.contains("href=\"/admin/confirm\""));
    let page = browser.get("/admin/confirm?next=%2Fadmin%2Fkeys").await;
    assert!(page.body.contains("Confirm with Example Login"), "{}", page.body);
    let confirm = "/admin/confirm/openid?next=%2Fadmin%2Fkeys";
    assert!(page.body.contains(&format!("href=\"{confirm}\"")), "{}", page.body);

    let refused: [(&str, Change); 3] = [
        ("somebody else", |claims| claims["sub"] = json!("u-2")),
        ("long ago", |claims| {
            claims["auth_time"] = json!(claims["iat"].as_i64().unwrap() - 3600)
        }),
        ("not told when", |claims| {
            drop(claims.as_object_mut().unwrap().remove("auth_time"))
        }),
    ];
    for (what, change) in refused {
        let location = browser.begin(confirm).await;
        let code = provider.sign_in(&location, Signing::Key, change);
        let answer = browser.come_back(&location, &code).await;
        assert_eq!(answer.status, 403, "{what}: {}", answer.body);
        let asked = browser.send("POST", "/admin/keys", issue).await;
        assert_eq!(asked.status, 422, "{what}");
        assert!(browser.is_signed_in().await, "{what}: and stays who they are");
    }

    let location = browser.begin(confirm).await;
    let code = provider.sign_in(&location, Signing::Key, AS_IT_IS);
    let answer = browser.come_back(&location, &code).await;
    assert_eq!(answer.header("location"), Some("/admin/keys"), "{}", answer.body);
    let issued = browser.send("POST", "/admin/keys", issue).await;
    assert_eq!(issued.status, 201, "{}", issued.body);
}

/// Proves to the provider again who the browser's person is.
async fn confirm(browser: &mut Browser<'_>, provider: &Provider) {
    let location = browser.begin("/admin/confirm/openid?next=%2Fadmin%2Fkeys").await;
    let code = provider.sign_in(&location, Signing::Key, AS_IT_IS);
    let answer = browser.come_back(&location, &code).await;
    assert_eq!(answer.header("location"), Some("/admin/keys"), "{}", answer.body);
}

#[tokio::test]
async fn whoever_fails_to_sign_in_at_the_provider_keeps_nobody_of_the_same_network_from_confirming() {
    let (provider, server) = world().await;
    let mut browser = Browser::new(&server);
    assert_eq!(browser.sign_in(&provider, AS_IT_IS).await.status, 303);
    let mut stranger = Browser::new(&server);
    for number in 1..=31 {
        let location = stranger.begin(BEGIN).await;
        let declined = format!("{}&error=access_denied", callback(&location, ""));
        let answer = stranger.get_from_elsewhere(&declined).await;
        let expected = if number > 30 { 429 } else { 403 };
        assert_eq!(answer.status, expected, "{number}: {}", answer.body);
    }
    confirm(&mut browser, &provider).await;
}

#[tokio::test]
async fn a_confirmation_at_the_provider_is_not_renewed_by_a_form() {
    let (provider, server) = world().await;
    let mut browser = Browser::new(&server);
    assert_eq!(browser.sign_in(&provider, AS_IT_IS).await.status, 303);
    confirm(&mut browser, &provider).await;
    server.clock.advance(Millis::minutes(9));
    let renewed = browser.send("POST", "/admin/confirm", "next=%2Fadmin%2Fkeys").await;
    assert_eq!(renewed.status, 422, "{:?}", renewed.header("location"));
    assert!(
        renewed.body.contains("Confirm first that it is you.") && renewed.body.contains("Confirm with Example Login"),
        "{}",
        renewed.body
    );
    let issue = "name=Till&scope=create";
    assert_eq!(
        browser.send("POST", "/admin/keys", issue).await.status,
        201,
        "still fresh"
    );
    server.clock.advance(Millis::minutes(2));
    let late = browser.send("POST", "/admin/keys", issue).await;
    assert_eq!(late.status, 422, "eleven minutes after the only proof");
}

#[tokio::test]
async fn a_setting_is_weakened_only_within_five_minutes_of_a_confirmation_at_the_provider() {
    let (provider, server) = world().await;
    let mut browser = Browser::new(&server);
    assert_eq!(browser.sign_in(&provider, AS_IT_IS).await.status, 303);
    confirm(&mut browser, &provider).await;
    let page = browser.get("/admin/settings/decision").await.body;
    let version = between(&page, "name=\"version\" value=\"", &['"']);
    let version: i64 = version.parse().unwrap();
    let weaker = |version: i64, accept: &str| {
        format!(
            "version={version}&match_accept={accept}&match_review=0.5&liveness_accept=0.6&liveness_review=0.2\
             &find_duplicates=yes&duplicate_from=0.99&sampled=0.05&confirmed=yes"
        )
    };
    server.clock.advance(Millis::minutes(4));
    let saved = browser
        .send("POST", "/admin/settings/decision", &weaker(version, "0.75"))
        .await;
    assert_eq!(
        saved.header("location"),
        Some("/admin/settings/decision"),
        "{}",
        saved.body
    );
    server.clock.advance(Millis::minutes(3));
    let late = browser
        .send("POST", "/admin/settings/decision", &weaker(version + 1, "0.7"))
        .await;
    assert_eq!(late.status, 422, "{:?}", late.header("location"));
    assert!(
        late.body.contains("Confirm first that it is you.") && late.body.contains("href=\"/admin/confirm\""),
        "{}",
        late.body
    );
}

/// A second factor of the person with [`EMAIL`].
async fn add_authenticator(server: &Server) {
    let unit = server.app.honnin.db().write(async |tx| {
        let user = users::find_by_email(tx, EMAIL).await?.unwrap();
        let now = Timestamp::from_millis(1);
        second_factors::put_authenticator(tx, &user.id, &[1], now).await?;
        second_factors::use_step(tx, &user.id, &[1], 1, now).await
    });
    unit.await.unwrap();
}

/// Detects if people are told of a password that nobody entered.
#[tokio::test]
async fn whoever_stops_after_the_provider_is_told_of_as_somebody_who_signed_in_there() {
    let provider = Provider::start().await;
    let server = Server::with(&format!("[worker]\nembedded = false\n{}", provider.settings())).await;
    add_person(&server, EMAIL).await;
    let mut owner = Browser::new(&server);
    assert_eq!(owner.sign_in(&provider, AS_IT_IS).await.status, 303);
    add_authenticator(&server).await;
    assert_eq!(Browser::new(&server).sign_in(&provider, AS_IT_IS).await.status, 303);
    server.clock.advance(Millis::minutes(11));
    let worker = Worker::new(server.app.honnin.clone(), Lane::Housekeeping, 1);
    worker.run_until_idle().await.unwrap();
    let page = owner.get("/admin").await.body;
    for told in [
        "With the correct password or a sign-in at Example Login, but stopped before the second factor: 1. If this was not you, change \
         your password here and at Example Login.",
        "Change your password here and at Example Login and sign out everywhere.",
    ] {
        assert!(page.contains(told), "{told}: {page}");
    }
}

#[tokio::test]
async fn a_second_factor_of_this_installation_is_asked_for_whatever_the_provider_did() {
    let (provider, server) = world().await;
    let mut before = Browser::new(&server);
    assert_eq!(before.sign_in(&provider, AS_IT_IS).await.status, 303);
    let confirm = "/admin/confirm/openid?next=%2Fadmin%2Fkeys";
    let begun = before.begin(confirm).await;
    add_authenticator(&server).await;
    let mut browser = Browser::new(&server);
    let answer = browser.sign_in(&provider, AS_IT_IS).await;
    assert_eq!(
        answer.header("location"),
        Some("/admin/sign-in/code?next=%2Fadmin"),
        "{}",
        answer.body
    );
    assert!(!browser.is_signed_in().await);

    // Whoever is signed in confirms with it as well, even if they had none when they went to the provider.
    let code = provider.sign_in(&begun, Signing::Key, AS_IT_IS);
    let answer = before.come_back(&begun, &code).await;
    assert_eq!(
        answer.header("location"),
        Some("/admin/confirm?next=%2Fadmin"),
        "{}",
        answer.body
    );
    let sent = before.begin(confirm).await;
    assert_eq!(sent, "/admin/confirm?next=%2Fadmin%2Fkeys");
    let asked = before.send("POST", "/admin/keys", "name=Till&scope=create").await;
    assert_eq!(asked.status, 422, "{:?}", asked.header("location"));
    assert!(asked.body.contains("Enter the code."), "{}", asked.body);
}

/// Detects if whoever has taken somebody's address at the provider is linked to their account without their second factor.
#[tokio::test]
async fn an_account_with_a_second_factor_is_linked_once_that_was_shown() {
    let provider = Provider::start().await;
    let server = Server::with(&provider.settings()).await;
    let honnin = &server.app.honnin;
    let rei = add_person(&server, EMAIL).await;
    let signed_in = staff(honnin, &rei, None, testkit::localhost()).await.unwrap().unwrap();
    let begun = begin_authenticator(honnin, &signed_in).await.unwrap();
    let secret = totp_rs::Secret::try_from_base32(begun.secret.expose()).unwrap();
    let app = totp_rs::Builder::new().with_secret(secret).build().unwrap();
    let seconds = u64::try_from(honnin.now().as_seconds()).unwrap();
    let code = app.generate(seconds).to_string();
    let codes = confirm_authenticator(honnin, &signed_in, &code).await.unwrap().unwrap();

    for stopped in [true, false] {
        let mut browser = Browser::new(&server);
        let answer = browser.sign_in(&provider, AS_IT_IS).await;
        assert_eq!(
            answer.header("location"),
            Some("/admin/sign-in/code?next=%2Fadmin"),
            "{}",
            answer.body
        );
        assert!(!is_linked(honnin, &rei).await.unwrap(), "stopped: {stopped}");
        if stopped {
            continue;
        }
        let shown = format!("next=%2Fadmin&code={}", codes[0].expose());
        let answer = browser.send("POST", "/admin/sign-in/code", &shown).await;
        assert_eq!(answer.status, 303, "{}", answer.body);
        assert!(browser.is_signed_in().await);
    }
    assert!(is_linked(honnin, &rei).await.unwrap());
    let linked = entries(&server).await.into_iter();
    assert_eq!(linked.filter(|(action, _)| action == "person.link_account").count(), 1);
    // The account at the provider is linked to theirs by now, whatever its address.
    let answer = Browser::new(&server)
        .sign_in(&provider, |claims| claims["email"] = json!("renamed@shop.example"))
        .await;
    assert_eq!(answer.status, 303, "{}", answer.body);
}

/// Detects if two accounts at the provider that wait for the same second factor are both let in.
#[tokio::test]
async fn of_two_accounts_at_the_provider_that_wait_for_a_second_factor_the_first_is_linked() {
    let (provider, server) = world().await;
    let honnin = &server.app.honnin;
    let codes = ["abcd", "efgh"];
    let hashes = codes.map(|code| Sha256::digest(code).to_vec());
    let unit = honnin.db().write(async move |tx| {
        let user = users::find_by_email(tx, EMAIL).await?.unwrap();
        let passkey = PasskeyRow {
            id: vec![1],
            user: user.id.clone(),
            name: "Key".into(),
            public_key: vec![],
            counter: 0,
            created_at: Timestamp::from_millis(1),
            last_used_at: None,
        };
        second_factors::insert_passkey(tx, &passkey).await?;
        second_factors::replace_recovery_codes(tx, &user.id, &hashes).await
    });
    unit.await.unwrap();
    let (mut one, mut other) = (Browser::new(&server), Browser::new(&server));
    assert_eq!(one.sign_in(&provider, AS_IT_IS).await.status, 303);
    let second: Change = |claims| claims["sub"] = json!("u-2");
    assert_eq!(other.sign_in(&provider, second).await.status, 303);
    for (browser, code, comes_in) in [(&mut one, codes[0], true), (&mut other, codes[1], false)] {
        let shown = format!("next=%2Fadmin&code={code}");
        browser.send("POST", "/admin/sign-in/code", &shown).await;
        assert_eq!(browser.is_signed_in().await, comes_in, "{code}");
    }
}

#[tokio::test]
async fn a_confirmation_at_the_provider_counts_from_when_the_person_signed_in_there() {
    let (provider, server) = world().await;
    let mut browser = Browser::new(&server);
    assert_eq!(browser.sign_in(&provider, AS_IT_IS).await.status, 303);
    let location = browser.begin("/admin/confirm/openid?next=%2Fadmin%2Fkeys").await;
    let code = provider.sign_in(&location, Signing::Key, AS_IT_IS);
    server.clock.advance(Millis::minutes(4));
    let answer = browser.come_back(&location, &code).await;
    assert_eq!(answer.header("location"), Some("/admin/keys"), "{}", answer.body);
    let issue = "name=Till&scope=create";
    server.clock.advance(Millis::minutes(5));
    assert_eq!(browser.send("POST", "/admin/keys", issue).await.status, 201);
    server.clock.advance(Millis::minutes(2));
    let late = browser.send("POST", "/admin/keys", issue).await;
    assert_eq!(
        late.status, 422,
        "seven minutes after coming back, eleven after the proof"
    );
}

#[tokio::test]
async fn an_invitation_is_accepted_at_the_provider_and_never_because_another_site_sent_somebody() {
    let (provider, server) = world().await;
    let token = invite(&server, "new@shop.example", Role::Reviewer).await;
    let path = format!("/admin/invitation/{token}/openid");
    let mut browser = Browser::new(&server);
    let sent = browser.get_from_elsewhere(&path).await;
    assert_eq!(sent.header("location"), Some(&*format!("/admin/invitation/{token}")));
    let page = browser.get(&format!("/admin/invitation/{token}")).await;
    assert!(page.body.contains("Accept with Example Login"), "{}", page.body);
    for nothing in ["%0A", "x", &"A".repeat(4000)] {
        let path = format!("/admin/invitation/{nothing}/openid");
        assert_eq!(browser.get(&path).await.status, 404, "{nothing}");
        assert_eq!(browser.get_from_elsewhere(&path).await.status, 404, "{nothing}");
    }

    let newcomer: Change = |claims| claims["sub"] = json!("u-9");
    let location = browser.begin(&path).await;
    let code = provider.sign_in(&location, Signing::Key, newcomer);
    let answer = browser.come_back(&location, &code).await;
    assert_eq!(answer.header("location"), Some("/admin"), "{}", answer.body);
    assert!(browser.is_signed_in().await);
    assert_eq!(
        Browser::new(&server).sign_in(&provider, newcomer).await.status,
        303,
        "and again, without it"
    );

    let location = browser.begin(&path).await;
    let code = provider.sign_in(&location, Signing::Key, |claims| claims["sub"] = json!("u-10"));
    assert_eq!(browser.come_back(&location, &code).await.status, 404, "once");
    // Nobody guesses a password that is not there.
    let form = "email=new%40shop.example&password=!";
    assert_eq!(
        Browser::new(&server).send("POST", "/admin/sign-in", form).await.status,
        422
    );
}

#[tokio::test]
async fn a_browser_that_does_not_say_where_a_link_is_from_begins_from_our_pages_only() {
    let (provider, server) = world().await;
    let token = invite(&server, "new@shop.example", Role::Reviewer).await;
    for page in ["/admin/sign-in".to_owned(), format!("/admin/invitation/{token}")] {
        let mut old = Browser {
            site: "",
            ..Browser::new(&server)
        };
        let begin = format!("{page}/openid");
        let sent = old.get(&begin).await;
        assert_eq!(sent.header("location"), Some(&*page), "led here by another site");
        assert!(!old.cookies.contains_key("__Host-sign-in"), "nothing has begun");
        assert_eq!(old.get(&page).await.status, 200);
        let location = old.begin(&begin).await;
        assert!(location.starts_with(&provider.issuer()), "{location}");
        // Another site's link comes without what was set meanwhile.
        old.cookies.remove(HERE);
        assert_eq!(old.get(&begin).await.header("location"), Some(&*page));
        // One that says it needs no cookie.
        old.site = "same-origin";
        old.cookies.remove(HERE);
        old.begin(&begin).await;
        assert!(!old.cookies.contains_key(HERE));
    }
}

#[tokio::test]
async fn without_local_sign_in_only_the_provider_and_the_command_line_let_people_in() {
    let provider = Provider::start().await;
    let server = Server::with(&format!("{}local_sign_in = false\n", provider.settings())).await;
    let token = invite(&server, EMAIL, Role::Admin).await;
    let mut browser = Browser::new(&server);
    let page = browser.get(&format!("/admin/invitation/{token}")).await;
    assert!(!page.body.contains("type=\"password\""), "{}", page.body);
    let posted = browser
        .send(
            "POST",
            &format!("/admin/invitation/{token}"),
            "password=correct+horse+battery",
        )
        .await;
    assert_eq!(posted.status, 422, "{}", posted.body);
    let location = browser.begin(&format!("/admin/invitation/{token}/openid")).await;
    let code = provider.sign_in(&location, Signing::Key, AS_IT_IS);
    assert_eq!(browser.come_back(&location, &code).await.status, 303);

    for page in ["/admin/sign-in", "/admin/account"] {
        let page = browser.get(page).await;
        assert!(!page.body.contains("type=\"password\""), "{}", page.body);
    }
    let form = "email=rei%40shop.example&password=correct+horse+battery";
    assert_eq!(
        Browser::new(&server).send("POST", "/admin/sign-in", form).await.status,
        403
    );
    let passkey = Browser::new(&server)
        .send("POST", "/admin/sign-in/passkey", "credential=%7B%7D")
        .await;
    assert_eq!(passkey.status, 422);

    // The provider is away, and somebody has to come in.
    provider.break_down(Some((503, String::new())));
    // Longer than what it published before is used.
    server.clock.advance(Millis::days(2));
    let mut restored = Browser::new(&server);
    let away = restored.get(BEGIN).await;
    assert_eq!(away.status, 502, "{}", away.body);
    assert!(away.body.contains("cannot be reached"), "{}", away.body);
    let link = issue_reset_from_here(&server.app.honnin, CommandLine::here(), EMAIL)
        .await
        .unwrap();
    let path = link
        .link
        .expose()
        .strip_prefix("https://id.example")
        .unwrap()
        .to_owned();
    let page = restored.get(&path).await;
    assert!(page.body.contains("This link signs you in as"), "{}", page.body);
    assert_eq!(
        restored.send("POST", &path, "").await.header("location"),
        Some("/admin")
    );
    assert!(restored.is_signed_in().await);
    assert_eq!(Browser::new(&server).send("POST", &path, "").await.status, 404, "once");
    let last = entries(&server).await.pop().unwrap();
    assert_eq!(
        last.1.as_deref(),
        Some("link from the command line, new browser: unknown")
    );
}

#[tokio::test]
async fn answers_of_the_provider_are_bounded_and_never_shown() {
    let (provider, server) = world().await;
    let huge = format!("{{\"issuer\": \"{}\"}}", "x".repeat(300 * 1024));
    for answer in [
        (200, huge),
        (200, "<script>".to_owned()),
        (302, String::new()),
        (500, "stack trace".to_owned()),
    ] {
        provider.break_down(Some(answer));
        // It is not asked again at once.
        server.clock.advance(Millis::seconds(5));
        let answer = Browser::new(&server).get(BEGIN).await;
        assert_eq!(answer.status, 502);
        assert!(
            !answer.body.contains("stack trace") && answer.body.contains("cannot be reached"),
            "{}",
            answer.body
        );
    }
    provider.break_down(None);
    server.clock.advance(Millis::seconds(5));
    assert_eq!(
        Browser::new(&server).sign_in(&provider, AS_IT_IS).await.status,
        303,
        "and it recovers"
    );
}

#[tokio::test]
async fn without_a_provider_there_is_nothing_of_it() {
    let server = Server::new().await;
    let mut browser = Browser::new(&server);
    assert_eq!(browser.get(BEGIN).await.status, 404);
    assert_eq!(browser.get(&format!("{CALLBACK}?state=x&code=y")).await.status, 404);
    assert!(!browser.get("/admin/sign-in").await.body.contains("openid"));
}
