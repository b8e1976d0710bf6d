//! The accounts of people who use the console.

use crate::{
    console::{Browser, pages_that_require_sign_in},
    support::{Server, between},
};
use domain::{role::Role, time::Millis};
use service::{
    jobs::worker::{Lane, Worker},
    people::set_up::set_up_link,
};
use store::people::{
    second_factors::{self, PasskeyRow},
    users,
};
use totp_rs::{Builder, Totp};

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
async fn a_new_password_ends_every_browser_but_the_one_that_chose_it() {
    let server = Server::without_worker().await;
    let mut here = Browser::signed_in_as(&server, "rei", Role::Reviewer).await;
    let mut there = here.another("rei@shop.example").await;
    assert_eq!(there.get("/admin").await.status, 200);
    for (present, new, wrong) in [
        ("not+it", "four+words+of+another+kind", "incorrect"),
        ("correct+horse+battery", "short", "at least 15"),
    ] {
        let form = format!("present={present}&password={new}");
        let refused = here.post("/admin/account/password", &form).await;
        assert!(
            refused.status == 422 && refused.body.contains(wrong),
            "{}",
            refused.body
        );
    }
    let form = "present=correct+horse+battery&password=four+words+of+another+kind";
    let changed = here.post("/admin/account/password", form).await;
    assert_eq!(
        (changed.status, changed.header("location")),
        (303, Some("/admin/account"))
    );
    assert!(
        here.get("/admin/account")
            .await
            .body
            .contains("Your password has been changed")
    );
    assert_eq!(there.get("/admin").await.status, 303, "signed out");
    let old = "email=rei%40shop.example&password=correct+horse+battery";
    assert_eq!(there.post("/admin/sign-in", old).await.status, 422);
    let new = "email=rei%40shop.example&password=four+words+of+another+kind";
    assert_eq!(there.post("/admin/sign-in", new).await.status, 303);
}

/// The page with the key of an authenticator app that is being set up.
const APP: &str = "/admin/account/authenticator";

/// Begins the set-up of an authenticator app for the browser's person. Returns its key.
async fn begin_app(browser: &mut Browser<'_>) -> String {
    let begun = browser.post(APP, "").await;
    assert_eq!((begun.status, begun.header("location")), (303, Some(APP)));
    let key = key_of(&browser.get(APP).await.body);
    assert_eq!(key_of(&browser.get(APP).await.body), key, "however often it is loaded");
    key
}

/// Sets up an authenticator app for the browser's person. Returns it with the recovery codes.
async fn with_app(server: &Server, browser: &mut Browser<'_>) -> (Totp, Vec<String>) {
    let secret = totp_rs::Secret::try_from_base32(begin_app(browser).await).unwrap();
    let app = Builder::new().with_secret(secret).build().unwrap();
    let wrong = browser
        .post("/admin/account/authenticator/confirm", "code=000000")
        .await;
    assert!(
        wrong.status == 422 && wrong.body.contains("used before") && wrong.body.contains("<code class=\"groups\">")
    );
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

#[tokio::test]
async fn a_set_up_of_an_authenticator_app_goes_on_after_a_confirmation_in_between() {
    let server = Server::without_worker().await;
    let mut rita = Browser::signed_in_as(&server, "rita", Role::Admin).await;
    let key = begin_app(&mut rita).await;
    server.clock.advance(Millis::minutes(10));
    assert!(
        !rita.get(APP).await.body.contains("class=\"groups\""),
        "whoever would have to confirm first is not shown it"
    );
    let asked = rita.post(&format!("{APP}/confirm"), "code=000000").await;
    let next = "next=%2Fadmin%2Faccount%2Fauthenticator";
    assert_eq!(asked.header("location"), Some(&*format!("/admin/confirm?{next}")));
    let confirmed = rita
        .post("/admin/confirm", &format!("{next}&password=correct+horse+battery"))
        .await;
    assert_eq!(confirmed.header("location"), Some(APP));
    assert_eq!(key_of(&rita.get(APP).await.body), key);
    let secret = totp_rs::Secret::try_from_base32(key).unwrap();
    let app = Builder::new().with_secret(secret).build().unwrap();
    let code = format!("code={}", shown_code(&server, &app));
    assert_eq!(rita.post(&format!("{APP}/confirm"), &code).await.status, 201);
    assert!(
        rita.get(APP)
            .await
            .body
            .contains(">Set up an authenticator app</button>")
    );
}

#[tokio::test]
async fn a_new_passkey_is_asked_for_only_of_somebody_who_need_not_confirm_first() {
    let server = Server::without_worker().await;
    let mut rita = Browser::signed_in_as(&server, "rita", Role::Admin).await;
    let page = rita.get("/admin/account").await.body;
    let challenge = "/admin/account/passkeys/challenge";
    assert!(page.contains(&format!("data-passkey=\"{challenge}\"")), "{page}");
    assert_eq!(rita.post(challenge, "").await.status, 200);
    server.clock.advance(Millis::minutes(10));
    let asked = rita.post(challenge, "").await;
    assert_eq!(asked.header("location"), Some("/admin/confirm?next=%2Fadmin%2Faccount"));
    // One with which they confirm is given to them.
    assert_eq!(rita.post("/admin/account/challenge", "").await.status, 200);
}

#[tokio::test]
async fn whoever_finishes_the_set_up_of_an_app_twice_keeps_it_and_is_told_how_to_get_recovery_codes() {
    let server = Server::without_worker().await;
    let mut rita = Browser::signed_in_as(&server, "rita", Role::Admin).await;
    let key = begin_app(&mut rita).await;
    let secret = totp_rs::Secret::try_from_base32(key).unwrap();
    let app = Builder::new().with_secret(secret).build().unwrap();
    let confirm = format!("{APP}/confirm");
    let code = format!("code={}", shown_code(&server, &app));
    assert_eq!(rita.post(&confirm, &code).await.status, 201);
    let again = rita.post(&confirm, &code).await;
    assert_eq!(again.header("location"), Some("/admin/account"), "{}", again.body);
    let told = rita.get("/admin/account").await.body;
    assert!(
        told.contains("If you did not see your recovery codes, generate new ones."),
        "{told}"
    );
    assert!(!told.contains("Remove it first"), "{told}");
}

/// Detects if a slip of the finger removes a second factor, and with the last one the recovery codes.
#[tokio::test]
async fn a_second_factor_is_removed_after_a_second_look() {
    let server = Server::without_worker().await;
    let mut rita = Browser::signed_in_as(&server, "rita", Role::Admin).await;
    with_app(&server, &mut rita).await;
    let unit = server.app.honnin.db().write(async |tx| {
        let user = users::find_by_email(tx, "rita@shop.example").await?.unwrap();
        let passkey = PasskeyRow {
            id: vec![1],
            user: user.id,
            name: "Work laptop".into(),
            public_key: vec![],
            counter: 0,
            created_at: user.created_at,
            last_used_at: None,
        };
        second_factors::insert_passkey(tx, &passkey).await
    });
    unit.await.unwrap();
    let page = rita.get("/admin/account").await.body;
    let id = between(&page, "action=\"/admin/account/passkeys/", &['/']);
    let passkey = format!("/admin/account/passkeys/{id}/remove");
    let looks = [
        (&*passkey, "Remove this passkey?", "Your other second factors stay."),
        (
            "/admin/account/authenticator/remove",
            "Remove your authenticator app?",
            "It is your only second factor.",
        ),
    ];
    for (path, title, meaning) in looks {
        let offered = format!("action=\"{path}\"");
        let asked = rita.post(path, "").await;
        assert_eq!(asked.status, 200, "{path}");
        for said in [title, meaning, &*offered] {
            assert!(asked.body.contains(said), "{said}: {}", asked.body);
        }
        let kept = rita.post(path, "confirmed=no").await;
        assert_eq!(kept.header("location"), Some("/admin/account"), "{path}");
        assert!(rita.get("/admin/account").await.body.contains(&offered), "{path}");
        let removed = rita.post(path, "confirmed=yes").await;
        assert_eq!(removed.header("location"), Some("/admin/account"), "{path}");
        assert!(!rita.get("/admin/account").await.body.contains(&offered), "{path}");
        assert_eq!(rita.post(path, "").await.status, 404, "{path}: it is gone");
    }
}

#[tokio::test]
async fn whoever_confirms_in_the_middle_of_a_change_is_told_that_nothing_has_been_changed() {
    let server = Server::without_worker().await;
    Browser::signed_in_as(&server, "rei", Role::Reviewer).await;
    let mut rita = Browser::signed_in_as(&server, "rita", Role::Admin).await;
    let people = rita.get("/admin/people").await.body;
    let (_, row) = people.split_once("rei@shop.example").unwrap();
    let path = format!("/admin/people/{}", between(row, "/admin/people/", &['"']));
    server.clock.advance(Millis::minutes(10));
    let asked = rita.post(&path, "change=role&role=developer").await;
    let next = "next=%2Fadmin%2Fpeople";
    assert_eq!(asked.header("location"), Some(&*format!("/admin/confirm?{next}")));
    let password = "password=correct+horse+battery";
    rita.post("/admin/confirm", &format!("{next}&{password}")).await;
    let told = rita.get("/admin/people").await.body;
    assert!(
        told.contains("Nothing has changed yet. Repeat your last action."),
        "{told}"
    );
    // Whoever confirms in a tab of its own has still typed something in the other one.
    rita.post("/admin/confirm", password).await;
    assert!(rita.get("/admin").await.body.contains("You can continue."));
}

#[tokio::test]
async fn second_factors_are_removed_after_a_second_look_and_the_disabled_are_listed_apart() {
    let server = Server::without_worker().await;
    let mut rei = Browser::signed_in_as(&server, "rei", Role::Reviewer).await;
    with_app(&server, &mut rei).await;
    let mut rita = Browser::signed_in_as(&server, "rita", Role::Admin).await;
    let people = rita.get("/admin/people").await.body;
    let (_, row) = people.split_once("rei@shop.example").unwrap();
    let path = format!("/admin/people/{}", between(row, "/admin/people/", &['"']));
    let form = "role=reviewer&change=remove_factors";
    let asked = rita.post(&path, form).await;
    assert_eq!(asked.status, 200);
    for part in [
        "Remove this person’s second factors?",
        "<dd>rei@shop.example</dd>",
        "<dd>Authenticator app</dd>",
        "name=\"change\" value=\"remove_factors\"",
    ] {
        assert!(asked.body.contains(part), "{part}: {}", asked.body);
    }
    assert!(
        !asked.body.contains("<dd>never</dd>"),
        "a code was used: {}",
        asked.body
    );
    let kept = rita.post(&path, &format!("{form}&confirmed=no")).await;
    assert_eq!(kept.header("location"), Some("/admin/people"));
    assert_eq!(rei.get("/admin").await.status, 200, "nothing was removed");
    assert_eq!(rita.post(&path, &format!("{form}&confirmed=yes")).await.status, 303);
    assert_eq!(rei.get("/admin").await.status, 303, "signed out");
    assert_eq!(rei.sign_in("rei@shop.example").await.header("location"), Some("/admin"));
    assert_eq!(rita.post(&path, "change=disable").await.status, 303);
    for (query, is_listed) in [("", false), ("?state=disabled", true), ("?state=all", true)] {
        let page = rita.get(&format!("/admin/people{query}")).await.body;
        assert_eq!(page.contains("rei@shop.example"), is_listed, "{query}: {page}");
        assert_eq!(
            page.contains("rita@shop.example"),
            query != "?state=disabled",
            "{query}: {page}"
        );
    }
}

#[tokio::test]
async fn the_list_of_people_is_still_filtered_after_each_of_its_forms() {
    let server = Server::new().await;
    Browser::signed_in_as(&server, "rei", Role::Reviewer).await;
    let mut rita = Browser::signed_in_as(&server, "rita", Role::Admin).await;
    let list = "/admin/people?state=all";
    let page = rita.get(list).await.body;
    let (_, row) = page.split_once("rei@shop.example").unwrap();
    let id = between(row, "action=\"/admin/people/", &['?']);
    let path = format!("/admin/people/{id}?state=all");
    let asked = rita.post(&path, "change=remove_factors").await.body;
    assert!(asked.contains(&format!("action=\"{path}\"")), "{asked}");
    for form in [
        "change=remove_factors&confirmed=no",
        "change=remove_factors&confirmed=yes",
        "change=role&role=developer",
        "change=disable",
    ] {
        let answer = rita.post(&path, form).await;
        assert_eq!(answer.header("location"), Some(list), "{form}");
    }
    let refused = rita
        .post("/admin/people?state=disabled", "name=&email=&role=reviewer")
        .await;
    assert_eq!(refused.status, 422);
    assert!(refused.body.contains("rei@shop.example"), "{}", refused.body);
    assert!(!refused.body.contains("rita@shop.example"), "{}", refused.body);
}

/// The key that a page shows in groups.
fn key_of(page: &str) -> String {
    let (_, rest) = page.split_once("<code class=\"groups\">").unwrap();
    let (groups, _) = rest.split_once("</code>").unwrap();
    groups.replace("<span>", "").replace("</span>", "")
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
async fn whoever_waits_for_the_second_factor_begins_again_after_the_owner_signed_out_everywhere() {
    let server = Server::without_worker().await;
    let mut rita = Browser::signed_in_as(&server, "rita", Role::Admin).await;
    let (_, codes) = with_app(&server, &mut rita).await;
    let mut waiting = Browser::new(&server);
    waiting.sign_in("rita@shop.example").await;
    assert_eq!(waiting.get("/admin/sign-in/code").await.status, 200);
    assert_eq!(rita.post("/admin/sign-out-everywhere", "").await.status, 303);
    let code = format!("code={}", codes[0]);
    let late = waiting.post("/admin/sign-in/code", &code).await;
    assert_eq!((late.status, late.header("location")), (303, Some("/admin/sign-in")));
    assert_eq!(waiting.get("/admin").await.status, 303);
    waiting.sign_in("rita@shop.example").await;
    let entered = waiting.post("/admin/sign-in/code", &code).await;
    assert_eq!(entered.header("location"), Some("/admin"), "not used up before");
}

#[tokio::test]
async fn the_account_page_names_the_links_that_end_when_their_maker_signs_out_everywhere() {
    let server = Server::without_worker().await;
    let mut rita = Browser::signed_in_as(&server, "rita", Role::Admin).await;
    let page = rita.get("/admin/account").await.body;
    assert!(!page.contains("stop working too"), "none: {page}");
    let form = format!(
        "name=Ines&email=ines%40shop.example&role=auditor&tenant={}",
        server.tenant
    );
    let shown = rita.post("/admin/people", &form).await;
    assert_eq!(shown.status, 201, "{}", shown.body);
    let token = between(&shown.body, "https://id.example/admin/invitation/", &['<']);
    let link = format!("/admin/invitation/{token}");
    let page = rita.get("/admin/account").await.body;
    let told = page.matches("that you made for ines@shop.example stop working too.");
    assert_eq!(told.count(), 2, "for a new password, and for signing out: {page}");
    let mut ines = Browser::new(&server);
    assert_eq!(ines.get(&link).await.status, 200);
    assert_eq!(rita.post("/admin/sign-out-everywhere", "").await.status, 303);
    assert_eq!(ines.get(&link).await.status, 404);
}

async fn run_jobs(server: &Server) {
    let worker = Worker::new(server.app.honnin.clone(), Lane::Housekeeping, 1);
    worker.run_until_idle().await.unwrap();
}

#[tokio::test]
async fn somebody_who_stops_before_the_second_factor_is_told_of_once_and_in_both_languages() {
    let server = Server::without_worker().await;
    let mut rita = Browser::signed_in_as(&server, "rita", Role::Admin).await;
    let (app, _) = with_app(&server, &mut rita).await;
    let sign_in = async |browser: &mut Browser<'_>| {
        server.clock.advance(Millis::minutes(1));
        browser.sign_in("rita@shop.example").await;
        let form = format!("code={}", shown_code(&server, &app));
        assert_eq!(browser.post("/admin/sign-in/code", &form).await.status, 303);
    };
    // The password twice in one browser, and looking at the page of the second factor, is one attempt.
    let mut thief = Browser::new(&server);
    for _ in 0..2 {
        thief.sign_in("rita@shop.example").await;
        assert_eq!(thief.get("/admin/sign-in/code").await.status, 200);
    }
    let mut owner = Browser::new(&server);
    owner.sign_in("rita@shop.example").await;
    sign_in(&mut owner).await;
    server.clock.advance(Millis::minutes(9));
    run_jobs(&server).await;
    let page = owner.get("/admin").await.body;
    let told = "One attempt to sign in to your account failed, the last one from 127.0.0.1. With the correct password, but \
                stopped before the second factor: 1. If this was not you, change your password.";
    assert!(page.contains(told), "{page}");
    let log = owner.get("/admin/audit").await.body;
    assert_eq!(log.matches("stopped before the second factor").count(), 1, "{log}");
    owner.language = Some("ja");
    let page = owner.get("/admin").await.body;
    owner.language = None;
    assert!(
        page.contains("パスワードが正しく、2要素認証の前に中断：1回。"),
        "{page}"
    );
    server.clock.advance(Millis::hours(1));
    run_jobs(&server).await;
    sign_in(&mut owner).await;
    sign_in(&mut owner).await;
    let page = owner.get("/admin").await.body;
    assert!(!page.contains("sign in to your account failed"), "told once: {page}");
}

#[tokio::test]
async fn a_browser_that_signs_in_is_known_for_a_year_and_signs_in_nobody() {
    let server = Server::without_worker().await;
    let mut rita = Browser::signed_in_as(&server, "rita", Role::Admin).await;
    let mut thief = Browser::new(&server);
    let entered = thief.sign_in("rita@shop.example").await;
    let set: Vec<_> = entered
        .headers
        .iter()
        .filter(|(name, _)| name == "set-cookie")
        .collect();
    assert!(
        set.iter()
            .any(|(_, set)| set.starts_with("__Host-browser=") && set.contains("Max-Age=31536000")),
        "{set:?}"
    );
    let known = thief.known.clone().unwrap();
    assert_eq!(known.len(), 43);
    let page = thief.get("/admin").await.body;
    assert!(
        page.contains("You signed in with a browser we had not seen before: unknown, 127.0.0.1."),
        "{page}"
    );
    assert!(
        page.contains("Change your password and sign out everywhere.</a>"),
        "{page}"
    );
    thief.language = Some("ja");
    let page = thief.get("/admin").await.body;
    assert!(
        page.contains("初めてのブラウザーでサインインがありました：unknown、127.0.0.1。"),
        "{page}"
    );
    thief.language = None;
    // It is no factor: without the session it opens nothing, and it is the same one at the next sign-in.
    let mut without = Browser::new(&server);
    without.known = Some(known.clone());
    assert_eq!(without.get("/admin").await.status, 303);
    server.clock.advance(Millis::minutes(1));
    without.sign_in("rita@shop.example").await;
    assert_eq!(without.known.as_deref(), Some(&*known));
    // Her own one is told of it once, at its next sign-in.
    for told in [true, false] {
        rita.sign_in("rita@shop.example").await;
        let page = rita.get("/admin").await.body;
        assert_eq!(page.contains("had not seen before"), told, "{page}");
    }
    // One that was not ours is replaced.
    let mut odd = Browser::new(&server);
    odd.known = Some("chosen-by-somebody-else".to_owned());
    odd.sign_in("rita@shop.example").await;
    assert_eq!(odd.known.as_ref().map(String::len), Some(43));
    let page = rita.get("/admin/account").await.body;
    assert_eq!(page.matches("/forget\"").count(), 3, "{page}");
    let forget = format!(
        "/admin/account/browsers/{}/forget",
        between(&page, "/admin/account/browsers/", &['/'])
    );
    let forgotten = rita.post(&forget, "").await;
    assert_eq!(
        (forgotten.status, forgotten.header("location")),
        (303, Some("/admin/account"))
    );
    assert_eq!(rita.post(&forget, "").await.status, 404);
    let page = rita.get("/admin/account").await.body;
    assert_eq!(page.matches("/forget\"").count(), 2, "{page}");
}

#[tokio::test]
async fn where_a_second_factor_is_required_people_without_one_can_only_set_one_up() {
    let server = Server::new().await;
    let mut rita = Browser::signed_in_as(&server, "rita", Role::Admin).await;
    let version = between(
        &rita.get("/admin/settings/sign_in").await.body,
        "name=\"version\" value=\"",
        &['"'],
    )
    .to_owned();
    let form = format!("version={version}&second_factor_required=yes");
    assert_eq!(rita.post("/admin/settings/sign_in", &form).await.status, 303);
    let open = ["/admin/account", "/admin/confirm", "/admin/tenant", "/admin/sign-out"];
    for (method, path, _) in pages_that_require_sign_in() {
        if open.iter().any(|open| path.starts_with(open)) {
            continue;
        }
        let answer = rita.send(method, &path, "").await;
        assert_eq!(
            (answer.status, answer.header("location")),
            (303, Some("/admin/account")),
            "{method} {path}"
        );
    }
    assert!(
        rita.get("/admin/account")
            .await
            .body
            .contains("requires a second factor")
    );
    with_app(&server, &mut rita).await;
    assert!(
        !rita
            .get("/admin/account")
            .await
            .body
            .contains("requires a second factor")
    );
    assert_eq!(rita.get("/admin/settings").await.status, 200);
    // To make it optional again is a weakening, which is shown first.
    let optional = format!("version={}", version.parse::<i64>().unwrap() + 1);
    let look = rita.post("/admin/settings/sign_in", &optional).await;
    assert!(
        look.status == 200 && look.body.contains("A password alone will be enough"),
        "{}",
        look.body
    );
}

#[tokio::test]
async fn a_step_up_asks_for_the_second_factor_where_there_is_one() {
    let server = Server::new().await;
    let mut rita = Browser::signed_in_as(&server, "rita", Role::Admin).await;
    let (_, codes) = with_app(&server, &mut rita).await;
    server.clock.advance(Millis::minutes(10));
    let asked = rita.post("/admin/keys", "name=Till&scope=create").await;
    assert_eq!(asked.status, 422);
    assert!(asked.body.contains("name=\"code\"") && !asked.body.contains("name=\"password\""));
    let page = rita.get("/admin/confirm?next=%2Fadmin%2Fkeys").await;
    assert!(page.body.contains("name=\"code\"") && !page.body.contains("name=\"password\""));
    assert!(
        page.body
            .contains("To issue, rotate or revoke an API key, confirm that it is you.")
    );
    assert!(!page.body.contains("aria-current=\"page\""), "{}", page.body);
    for path in ["/admin/keys", "/admin/confirm"] {
        let password = "name=Till&scope=create&next=%2Fadmin%2Fkeys&password=correct+horse+battery";
        assert_eq!(rita.post(path, password).await.status, 422, "not the password");
    }
    let with_code = format!("name=Till&scope=create&code={}", codes[0]);
    assert_eq!(rita.post("/admin/keys", &with_code).await.status, 201);
    assert_eq!(
        rita.post("/admin/keys", "name=Shop&scope=create").await.status,
        201,
        "once is enough"
    );
    // Buttons have nothing that could be lost.
    server.clock.advance(Millis::minutes(10));
    let key = format!("/admin/keys/key_{}/revoke", "0".repeat(32));
    let asked = rita.post(&key, "").await;
    assert_eq!(asked.header("location"), Some("/admin/confirm?next=%2Fadmin%2Fkeys"));
    let code = format!("next=%2Fadmin%2Fkeys&code={}", codes[1]);
    assert_eq!(
        rita.post("/admin/confirm", &code).await.header("location"),
        Some("/admin/keys")
    );
    assert_eq!(rita.post(&key, "").await.status, 303);
}

/// Somebody with a stolen session and the password must not get further than with the session.
#[tokio::test]
async fn a_new_password_is_no_step_up_and_needs_one_where_there_is_a_second_factor() {
    let server = Server::new().await;
    let mut rita = Browser::signed_in_as(&server, "rita", Role::Admin).await;
    let (_, codes) = with_app(&server, &mut rita).await;
    server.clock.advance(Millis::minutes(10));
    let form = "present=correct+horse+battery&password=four+words+of+another+kind";
    let asked = rita.post("/admin/account/password", form).await;
    assert!(
        asked.status == 422 && asked.body.contains("Enter the code."),
        "{}",
        asked.body
    );
    let code = format!("next=%2Fadmin%2Faccount&code={}", codes[0]);
    assert_eq!(rita.post("/admin/confirm", &code).await.status, 303);
    server.clock.advance(Millis::minutes(9));
    let changed = rita.post("/admin/account/password", form).await;
    assert_eq!(changed.header("location"), Some("/admin/account"));
    assert_eq!(rita.post("/admin/keys", "name=Till&scope=create").await.status, 201);
    server.clock.advance(Millis::minutes(1));
    let asked = rita.post("/admin/keys", "name=Till&scope=create").await;
    assert_eq!(
        asked.status, 422,
        "ten minutes after the code, not after the new password"
    );
    let again = format!(
        "present=four+words+of+another+kind&password=five+words+of+some+kind&code={}",
        codes[1]
    );
    let changed = rita.post("/admin/account/password", &again).await;
    assert_eq!(changed.header("location"), Some("/admin/account"), "{}", changed.body);
}

/// Planted fault that this test detects: a page that shows a link issues another one each time it is loaded again.
#[tokio::test]
async fn a_page_with_a_link_that_is_loaded_again_issues_no_second_one() {
    let server = Server::without_worker().await;
    Browser::signed_in_as(&server, "rei", Role::Reviewer).await;
    let mut rita = Browser::signed_in_as(&server, "rita", Role::Admin).await;
    let page = rita.get("/admin/people").await.body;
    let draft = between(&page, "name=\"id\" value=\"", &['"']);
    let invite = format!(
        "name=Ines&email=ines%40shop.example&role=auditor&tenant={}&id={draft}",
        server.tenant
    );
    let (_, row) = page.split_once("rei@shop.example").unwrap();
    let person = format!("/admin/people/{}", between(row, "/admin/people/", &['"']));
    let seen = between(row, "name=\"seen\" value=\"", &['"']);
    let reset = format!("change=reset&seen={seen}");
    for (path, form, link) in [
        ("/admin/people", invite, "/admin/invitation/"),
        (person.as_str(), reset, "/admin/reset/"),
    ] {
        let shown = rita.post(path, &form).await;
        assert!(shown.status == 201 && shown.body.contains(link), "{}", shown.body);
        let again = rita.post(path, &form).await;
        assert_eq!(
            (again.status, again.header("location")),
            (303, Some("/admin/people")),
            "{}",
            again.body
        );
        let told = rita.get("/admin/people").await.body;
        assert!(told.contains("was shown only once and cannot be shown again"), "{told}");
        assert!(!told.contains(link), "{told}");
    }
}

#[tokio::test]
async fn the_overview_tells_what_happened_to_an_account_since_the_last_visit() {
    let server = Server::without_worker().await;
    let mut rei = Browser::signed_in_as(&server, "rei", Role::Reviewer).await;
    rei.sign_in("rei@shop.example").await;
    assert!(!rei.get("/admin").await.body.contains("Since your last visit"));
    let mut rita = Browser::signed_in_as(&server, "rita", Role::Admin).await;
    let people = rita.get("/admin/people").await.body;
    let (_, row) = people.split_once("rei@shop.example").unwrap();
    let id = between(row, "/admin/people/", &['"']);
    let reset = rita.post(&format!("/admin/people/{id}"), "change=reset").await;
    assert!(reset.body.contains("/admin/reset/"), "{}", reset.body);
    let page = rei.get("/admin").await.body;
    let (_, panel) = page.split_once("Since your last visit").unwrap();
    let told = "Somebody issued a password reset link (your account)";
    assert!(panel.contains(told), "{page}");
    assert!(!rita.get("/admin").await.body.contains(told), "who did it knows");
}

#[tokio::test]
async fn the_overview_tells_an_admin_who_was_made_an_admin() {
    let server = Server::without_worker().await;
    Browser::signed_in_as(&server, "rei", Role::Reviewer).await;
    let mut ines = Browser::signed_in_as(&server, "ines", Role::Admin).await;
    ines.sign_in("ines@shop.example").await;
    let mut rita = Browser::signed_in_as(&server, "rita", Role::Admin).await;
    let people = rita.get("/admin/people").await.body;
    let (_, row) = people.split_once("rei@shop.example").unwrap();
    let id = between(row, "/admin/people/", &['"']);
    let changed = rita
        .post(&format!("/admin/people/{id}"), "change=role&role=admin")
        .await;
    assert_eq!(changed.header("location"), Some("/admin/people"), "{}", changed.body);
    let page = ines.get("/admin").await.body;
    assert!(page.contains(" UTC Somebody changed a person: Somebody ("), "{page}");
}

#[tokio::test]
async fn an_invitation_that_is_gone_meanwhile_has_nothing_to_revoke() {
    let server = Server::without_worker().await;
    let mut rita = Browser::signed_in_as(&server, "rita", Role::Admin).await;
    let page = rita.get("/admin/people").await.body;
    let id = between(&page, "name=\"id\" value=\"", &['"']).to_owned();
    let form = format!(
        "tenant={}&id={id}&name=Rei&email=rei%40shop.example&role=reviewer",
        server.tenant
    );
    assert_eq!(rita.post("/admin/people", &form).await.status, 201);
    let revoke = format!("/admin/invitations/{id}/revoke");
    for told in ["The invitation has been revoked.", "There was nothing to revoke"] {
        let answer = rita.post(&revoke, "").await;
        assert_eq!(answer.header("location"), Some("/admin/people"), "{}", answer.body);
        let page = rita.get("/admin/people").await.body;
        assert!(page.contains(told), "{page}");
    }
}

#[tokio::test]
async fn what_the_overview_tells_is_lost_neither_by_sign_ins_with_another_browser_nor_by_a_new_password() {
    let server = Server::without_worker().await;
    let mut rei = Browser::signed_in_as(&server, "rei", Role::Reviewer).await;
    let mut thief = rei.another("rei@shop.example").await;
    let page = thief.get("/admin").await.body;
    let is_new = "You had not signed in with this browser before.";
    assert!(page.contains(is_new), "{page}");
    assert_eq!(thief.sign_in("rei@shop.example").await.status, 303);
    assert_eq!(rei.sign_in("rei@shop.example").await.status, 303);
    let told = "You signed in with a browser we had not seen before";
    let page = rei.get("/admin").await.body;
    assert_eq!(page.matches(told).count(), 1, "{page}");
    let form = "present=correct+horse+battery&password=four+words+of+another+kind";
    let changed = rei.post("/admin/account/password", form).await;
    assert_eq!(changed.header("location"), Some("/admin/account"));
    let page = rei.get("/admin").await.body;
    assert_eq!(page.matches(told).count(), 1, "{page}");
}

#[tokio::test]
async fn a_person_sees_their_browsers_and_signs_one_out() {
    let server = Server::new().await;
    let mut here = Browser::signed_in_as(&server, "rita", Role::Reviewer).await;
    let mut there = here.another("rita@shop.example").await;
    let mut stranger = Browser::signed_in_as(&server, "otto", Role::Admin).await;
    let page = here.get("/admin/account").await.body;
    assert_eq!(
        page.matches(">This browser<").count(),
        2,
        "among the sessions, and among the browsers"
    );
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
async fn whoever_is_signed_out_while_new_recovery_codes_are_made_is_sent_to_sign_in() {
    // Whoever gets new ones locks their account, after the session was found good.
    const END: &str = "CREATE TRIGGER ended AFTER UPDATE OF operator ON users BEGIN UPDATE users SET session_epoch = session_epoch + 1; END";
    const RENEW: &str = "/admin/account/recovery-codes";
    let server = Server::without_worker().await;
    let mut rita = Browser::signed_in_as(&server, "rita", Role::Admin).await;
    assert_eq!(rita.post(RENEW, "").await.status, 404, "there is no second factor");
    with_app(&server, &mut rita).await;
    server.run(END).await;
    let ended = rita.post(RENEW, "").await;
    assert_eq!(
        (ended.status, ended.header("location")),
        (303, Some("/admin/sign-in")),
        "{}",
        ended.body
    );
    server.run("DROP TRIGGER ended").await;
    assert_eq!(rita.post(RENEW, "").await.status, 201);
}

/// Those that were shown first may have been copied by then.
#[tokio::test]
async fn a_form_for_new_recovery_codes_that_is_sent_twice_replaces_them_once() {
    const RENEW: &str = "/admin/account/recovery-codes";
    let server = Server::without_worker().await;
    let mut rita = Browser::signed_in_as(&server, "rita", Role::Admin).await;
    with_app(&server, &mut rita).await;
    let page = rita.get("/admin/account").await.body;
    assert!(page.contains("New codes replace all of these."), "{page}");
    let form = format!("seen={}", between(&page, "name=\"seen\" value=\"", &['"']));
    let shown = rita.post(RENEW, &form).await;
    assert_eq!(shown.status, 201, "{}", shown.body);
    let again = rita.post(RENEW, &form).await;
    assert_eq!(
        (again.status, again.header("location")),
        (303, Some("/admin/account")),
        "{}",
        again.body
    );
    let told = rita.get("/admin/account").await.body;
    assert!(told.contains("No new codes were generated"), "{told}");
    let code = between(&shown.body, "<li><code>", &['<']);
    let mut elsewhere = rita.another("rita@shop.example").await;
    let entered = elsewhere.post("/admin/sign-in/code", &format!("code={code}")).await;
    assert_eq!(
        entered.header("location"),
        Some("/admin"),
        "those that were shown are valid"
    );
}

#[tokio::test]
async fn a_first_attempt_that_cannot_be_dropped_does_not_stop_the_second() {
    const BREAK: &str = "CREATE TRIGGER broken BEFORE DELETE ON half_sign_ins BEGIN SELECT RAISE(ABORT, 'broken'); END";
    let server = Server::without_worker().await;
    let mut rita = Browser::signed_in_as(&server, "rita", Role::Admin).await;
    with_app(&server, &mut rita).await;
    let mut browser = Browser::new(&server);
    browser.sign_in("rita@shop.example").await;
    server.run(BREAK).await;
    let again = browser.sign_in("rita@shop.example").await;
    assert_eq!(again.status, 303, "{}", again.body);
    assert_eq!(again.header("location"), Some("/admin/sign-in/code?next=%2Fadmin"));
}
