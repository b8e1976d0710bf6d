//! The languages of the console.

mod english;
mod visits;

use crate::{
    console::Browser,
    support::{Answer, Server},
};
use domain::role::Role;

/// The sign-in page as a browser with these headers gets it.
async fn sign_in(server: &Server, headers: &[(&str, &str)]) -> Answer {
    server.send("GET", "/admin/sign-in", headers, "").await
}

#[tokio::test]
async fn a_browser_gets_the_console_in_its_language_and_in_english_if_that_is_neither() {
    let server = Server::new().await;
    for (accepted, lang, said) in [
        ("ja-JP,ja;q=0.9,en;q=0.8", "ja", "サインイン"),
        ("en-GB,en;q=0.9,ja;q=0.1", "en", "Sign in"),
        ("ko", "en", "Sign in"),
    ] {
        let page = sign_in(&server, &[("accept-language", accepted)]).await.body;
        assert!(page.contains(&format!("<html lang=\"{lang}\"")), "{accepted}: {page}");
        assert!(page.contains(&format!("<h1>{said}</h1>")), "{accepted}: {page}");
    }
    assert!(sign_in(&server, &[]).await.body.contains("<h1>Sign in</h1>"));
}

#[tokio::test]
async fn the_chosen_language_is_kept_whatever_the_browser_asks_for() {
    let server = Server::new().await;
    let chosen = server.send("GET", "/admin/sign-in?lang=ja", &[], "").await;
    assert_eq!(
        (chosen.status, chosen.header("location")),
        (303, Some("/admin/sign-in"))
    );
    let cookie = chosen.header("set-cookie").unwrap().split(';').next().unwrap();
    assert_eq!(cookie, "__Host-honnin-language=ja");
    let page = sign_in(&server, &[("cookie", cookie), ("accept-language", "en")])
        .await
        .body;
    assert!(page.contains("<html lang=\"ja\""), "{page}");
    let unknown = server.send("GET", "/admin/sign-in?lang=tlh", &[], "").await;
    assert_eq!((unknown.status, unknown.header("set-cookie")), (200, None));
}

#[tokio::test]
async fn whoever_changes_the_language_before_signing_in_still_gets_where_they_wanted() {
    let server = Server::new().await;
    for page in ["/admin/sign-in", "/admin/sign-in/code"] {
        let wanted = format!("{page}?next=%2Fadmin%2Fsessions%3Fstatus%3Dfailed");
        let switched = server.send("GET", &format!("{wanted}&lang=ja"), &[], "").await;
        assert_eq!((switched.status, switched.header("location")), (303, Some(&*wanted)));
    }
    let page = server
        .send("GET", "/admin/sign-in?next=%2Fadmin%2Freview", &[], "")
        .await;
    let link = r#"href="/admin/sign-in?next=%2Fadmin%2Freview&amp;lang=ja""#;
    assert!(page.body.contains(link), "{}", page.body);
}

#[tokio::test]
async fn whoever_is_signed_in_finds_the_way_in_their_language_and_to_the_other() {
    let server = Server::new().await;
    let mut browser = Browser::signed_in(&server, Role::Admin).await;
    for (language, link) in [("ja", "English"), ("en", "日本語")] {
        browser.language = Some(language);
        let page = browser.get("/admin/people").await.body;
        assert!(page.contains(&format!("<html lang=\"{language}\"")), "{page}");
        assert!(page.contains(&format!(">{link}</a>")), "{page}");
        assert_eq!(page.contains(">サインアウト</button>"), language == "ja", "{page}");
    }
}

#[tokio::test]
async fn a_notice_is_in_the_language_of_the_form_that_led_to_it() {
    let server = Server::new().await;
    let mut browser = Browser::signed_in(&server, Role::Admin).await;
    browser.language = Some("ja");
    let revoked = browser
        .post(&format!("/admin/keys/key_{}/revoke", "0".repeat(32)), "")
        .await;
    assert_eq!(revoked.status, 303);
    assert!(
        browser
            .get("/admin/keys")
            .await
            .body
            .contains("失効させるキーはありませんでした。")
    );
}

#[tokio::test]
async fn a_japanese_page_has_no_english_sentence() {
    let mut forgotten = Vec::new();
    for visit in visits::every_page().await {
        assert!(
            visit.body.contains("<html lang=\"ja\""),
            "{}: {}",
            visit.what,
            visit.body
        );
        for text in english::texts(&visit.body, visits::SAMPLE) {
            forgotten.push(format!("{}: {text}", visit.what));
        }
    }
    assert!(forgotten.is_empty(), "{}", forgotten.join("\n"));
}
