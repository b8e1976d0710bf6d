//! Authentication of API calls.

use crate::{
    console::Browser,
    support::{SESSIONS, Server, add_tenant, between, settings},
};
use domain::{
    role::Role,
    tenant::{Mode, TenantSettings},
};
use insta::assert_snapshot;
use service::{access::api_key, runtime::random::SystemRandom};
use store::settings::api_keys;

#[tokio::test]
async fn a_missing_wrong_or_malformed_key_gives_the_same_refusal() {
    let server = Server::new().await;
    let none = server.send("GET", &format!("{SESSIONS}/x"), &[], "").await;
    assert_snapshot!(none.shown(), @r#"
    401
    content-type: application/json
    cache-control: no-store
    www-authenticate: Bearer
    {"_tag":"Unauthorized","message":"The API key is missing or not valid."}
    "#);
    let well_formed = api_key::generate(&SystemRandom, Mode::Live);
    for value in [
        format!("Bearer {}", well_formed.expose()),
        "Bearer x".into(),
        "Bearer".into(),
        format!("Basic {}", server.key),
        server.key.clone(),
    ] {
        let answer = server
            .send("GET", &format!("{SESSIONS}/x"), &[("authorization", &value)], "")
            .await;
        assert_eq!((answer.status, &answer.body), (none.status, &none.body), "{value}");
    }
    let twice = [
        ("authorization", format!("Bearer {}", server.key)),
        ("authorization", format!("Bearer {}", server.key)),
    ];
    let twice: Vec<_> = twice.iter().map(|(name, value)| (*name, value.as_str())).collect();
    assert_eq!(
        server.send("GET", &format!("{SESSIONS}/x"), &twice, "").await.status,
        401
    );
}

#[tokio::test]
async fn the_scheme_is_read_in_any_case() {
    let server = Server::new().await;
    let value = format!("bEaReR {}", server.key);
    assert_eq!(
        server
            .send("POST", SESSIONS, &[("authorization", &value)], "")
            .await
            .status,
        201
    );
}

#[tokio::test]
async fn a_revoked_key_is_refused_from_the_next_request_on() {
    let server = Server::new().await;
    server.create("{}").await;
    let tenant = server.tenant.clone();
    let unit = server.app.honnin.db().write(async move |tx| {
        let key = api_keys::list(tx, &tenant).await?.remove(0);
        api_keys::revoke(tx, &tenant, &key.id, crate::support::START).await
    });
    assert!(unit.await.unwrap());
    assert_eq!(server.call("POST", SESSIONS, "{}").await.status, 401);
}

#[tokio::test]
async fn an_address_off_the_list_is_refused_with_a_valid_key_only() {
    let server = Server::with("[http]\ntrusted_proxies = [\"127.0.0.1\"]\n").await;
    let list = TenantSettings {
        ip_allow_list: vec!["192.0.2.0/24".parse().unwrap(), "2001:db8::/32".parse().unwrap()],
        ..settings()
    };
    let made = add_tenant(&server.app, list).await;
    let bearer = format!("Bearer {}", made.key.expose());
    let off = server.send("POST", SESSIONS, &[("authorization", &bearer)], "").await;
    assert_snapshot!(off.shown(), @r#"
    403
    content-type: application/json
    cache-control: no-store
    {"_tag":"IpNotAllowed","message":"Calls from 127.0.0.1 are not allowed with this key."}
    "#);
    for (forwarded, status) in [
        ("192.0.2.9", 201),
        ("::ffff:192.0.2.9", 201),
        ("[2001:db8::7]:443", 201),
        ("192.0.3.1", 403),
        // What the client claims is to the left of what the proxy saw.
        ("192.0.2.9, 198.51.100.1", 403),
        ("192.0.2.9, garbage", 403),
    ] {
        let headers = [("authorization", bearer.as_str()), ("x-forwarded-for", forwarded)];
        assert_eq!(
            server.send("POST", SESSIONS, &headers, "").await.status,
            status,
            "{forwarded}"
        );
    }
    let wrong = [("authorization", "Bearer x"), ("x-forwarded-for", "198.51.100.1")];
    assert_eq!(server.send("POST", SESSIONS, &wrong, "").await.status, 401);
}

#[tokio::test]
async fn forwarding_headers_from_anybody_but_a_proxy_are_not_read() {
    let server = Server::new().await;
    let list = TenantSettings {
        ip_allow_list: vec!["192.0.2.0/24".parse().unwrap()],
        ..settings()
    };
    let made = add_tenant(&server.app, list).await;
    let bearer = format!("Bearer {}", made.key.expose());
    for name in [
        "x-forwarded-for",
        "forwarded",
        "x-real-ip",
        "true-client-ip",
        "cf-connecting-ip",
    ] {
        let value = if name == "forwarded" {
            "for=192.0.2.9"
        } else {
            "192.0.2.9"
        };
        let answer = server
            .send("POST", SESSIONS, &[("authorization", &bearer), (name, value)], "")
            .await;
        assert_eq!(answer.status, 403, "{name}");
    }
}

#[tokio::test]
async fn a_key_that_is_not_valid_is_unauthorized_on_every_operation_however_often_it_comes() {
    let server = Server::new().await;
    let created = server.create("{}").await;
    let one = format!("{SESSIONS}/{}", created["id"].as_str().unwrap());
    let again = format!("{one}/reprocess");
    let unknown = api_key::generate(&SystemRandom, Mode::Live);
    let wrong = format!("Bearer {}", unknown.expose());
    for round in 0..40 {
        for (method, path) in [("POST", SESSIONS), ("GET", &*one), ("POST", &*again)] {
            let answer = server.send(method, path, &[("authorization", &wrong)], "").await;
            assert_eq!(
                (answer.status, &answer.json()["_tag"]),
                (401, &"Unauthorized".into()),
                "{round} {method} {path}"
            );
        }
    }
    assert_eq!(
        server.call("GET", &one, "").await.status,
        200,
        "the right key from the same address"
    );
}

#[tokio::test]
async fn metadata_that_is_larger_than_any_body_may_be_is_400_like_metadata_over_its_own_limit() {
    let server = Server::new().await;
    for length in [8_192, 60_000, 70_000, 200_000] {
        let body = format!(r#"{{"metadata":{{"a":"{}"}}}}"#, "x".repeat(length));
        let answer = server.call("POST", SESSIONS, &body).await;
        assert_eq!(
            (answer.status, &answer.json()["_tag"]),
            (400, &"HttpApiDecodeError".into()),
            "{length}"
        );
    }
}

#[tokio::test]
async fn a_list_and_proxies_written_as_ipv4_mapped_networks_are_ipv4() {
    let server = Server::with("[http]\ntrusted_proxies = [\"::ffff:127.0.0.0/104\"]\n").await;
    let mut browser = Browser::signed_in(&server, Role::Admin).await;
    let page = browser.get("/admin/settings/addresses").await;
    let version = between(&page.body, "name=\"version\" value=\"", &['"']).to_owned();
    let form = format!("version={version}&ip_allow_list=%3A%3Affff%3A192.0.2.9%2F120&confirmed=yes");
    let saved = browser.post("/admin/settings/addresses", &form).await;
    assert_eq!(saved.header("location"), Some("/admin/settings/addresses"));
    assert!(
        browser
            .get("/admin/settings/addresses")
            .await
            .body
            .contains("192.0.2.0/24")
    );
    for (forwarded, status) in [("192.0.2.7", 201), ("::ffff:192.0.2.7", 201), ("192.0.3.7", 403)] {
        let answer = server
            .call_with("POST", SESSIONS, &[("x-forwarded-for", forwarded)], "")
            .await;
        assert_eq!(answer.status, status, "{forwarded}");
    }
}

#[tokio::test]
async fn a_key_expires_after_ninety_days_unless_another_time_is_chosen_which_a_refused_form_keeps() {
    let server = Server::new().await;
    let mut developer = Browser::signed_in(&server, Role::Developer).await;
    let chosen = |page: &str| {
        let (_, after) = page.split_once("id=\"days\"").unwrap();
        let (select, _) = after.split_once("</select>").unwrap();
        let chosen: Vec<&str> = select
            .split("<option ")
            .filter(|option| option.contains(" selected"))
            .collect();
        assert_eq!(chosen.len(), 1, "{select}");
        between(chosen[0], "value=\"", &['"']).to_owned()
    };
    assert_eq!(chosen(&developer.get("/admin/keys").await.body), "90");
    for days in ["365", ""] {
        let refused = developer
            .post("/admin/keys", &format!("name=&scope=create&days={days}"))
            .await;
        assert_eq!((refused.status, chosen(&refused.body).as_str()), (422, days));
    }
}

#[tokio::test]
async fn a_key_is_revoked_after_a_second_look_that_says_when_it_was_used() {
    let server = Server::new().await;
    let mut developer = Browser::signed_in(&server, Role::Developer).await;
    let issued = developer.post("/admin/keys", "name=Till&scope=create&days=90").await;
    let key = between(&issued.body, "<code>", &['<']).to_owned();
    let bearer = format!("Bearer {key}");
    let call = async || {
        let headers = [("authorization", bearer.as_str())];
        server.send("POST", SESSIONS, &headers, "").await.status
    };
    assert_eq!(call().await, 201);
    let page = developer.get("/admin/keys").await.body;
    let (_, row) = page.split_once("Till").unwrap();
    assert!(row.contains("issued by Somebody"), "{page}");
    assert_eq!(
        page.matches("issued by").count(),
        1,
        "not the key of the command line: {page}"
    );
    let revoke = format!("/admin/keys/{}/revoke", between(row, "/admin/keys/", &['/']));
    let asked = developer.post(&revoke, "").await;
    assert_eq!(asked.status, 200);
    for part in [
        "Revoke this API key?",
        "<dd>Till</dd>",
        "<dd>create</dd>",
        ", from 127.0.0.1</dd>",
    ] {
        assert!(asked.body.contains(part), "{part}: {}", asked.body);
    }
    let kept = developer.post(&revoke, "confirmed=no").await;
    assert_eq!(kept.header("location"), Some("/admin/keys"));
    assert_eq!(call().await, 201, "nothing was revoked");
    assert_eq!(developer.post(&revoke, "confirmed=yes").await.status, 303);
    assert_eq!(call().await, 401);
    for (query, is_listed) in [("", false), ("?state=ended", true), ("?state=all", true)] {
        let page = developer.get(&format!("/admin/keys{query}")).await.body;
        assert_eq!(page.contains("Till"), is_listed, "{query}: {page}");
    }
}

#[tokio::test]
async fn keys_are_listed_page_by_page() {
    let server = Server::new().await;
    let mut developer = Browser::signed_in(&server, Role::Developer).await;
    for number in 1..=50 {
        let form = format!("name=Till+{number}&scope=create&days=90");
        assert_eq!(developer.post("/admin/keys", &form).await.status, 201);
    }
    let first = developer.get("/admin/keys?state=all").await.body;
    assert_eq!(first.matches("/revoke?").count(), 50, "{first}");
    let next = between(&first, "href=\"/admin/keys?state=all&amp;after=", &['"']);
    let second = developer.get(&format!("/admin/keys?state=all&after={next}")).await.body;
    assert_eq!(
        second.matches("/revoke?").count(),
        1,
        "with the tenant's first key: {second}"
    );
    assert!(!second.contains("rel=\"next\""), "{second}");
}

#[tokio::test]
async fn the_list_of_keys_is_still_filtered_after_each_of_its_forms() {
    let server = Server::new().await;
    let mut developer = Browser::signed_in(&server, Role::Developer).await;
    let refused = developer
        .post("/admin/keys?state=all", "name=&scope=create&days=90")
        .await;
    assert_eq!(refused.status, 422);
    assert!(
        refused.body.contains("action=\"/admin/keys?state=all\""),
        "{}",
        refused.body
    );
    for number in 1..=50 {
        let form = format!("name=Till+{number}&scope=create&days=90");
        assert_eq!(developer.post("/admin/keys", &form).await.status, 201);
    }
    let first = developer.get("/admin/keys").await.body;
    let next = between(&first, "href=\"/admin/keys?after=", &['"']);
    let list = format!("/admin/keys?after={next}");
    let second = developer.get(&list).await.body;
    let mut forms = second.split("action=\"/admin/keys/");
    let (id, _) = forms.find_map(|form| form.split_once("/revoke?")).unwrap();
    let revoke = format!("/admin/keys/{id}/revoke?after={next}");
    let asked = developer.post(&revoke, "").await.body;
    assert!(asked.contains(&format!("action=\"{revoke}\"")), "{asked}");
    for answer in ["confirmed=no", "confirmed=yes"] {
        let answered = developer.post(&revoke, answer).await;
        assert_eq!(answered.header("location"), Some(&*list), "{answer}");
    }
    // It was the only one there.
    let page = developer.get(&list).await.body;
    assert_eq!(page.matches("/revoke?").count(), 50, "{page}");
}

#[tokio::test]
async fn reloading_the_page_that_shows_a_key_issues_no_second_one() {
    let server = Server::new().await;
    let mut developer = Browser::signed_in(&server, Role::Developer).await;
    let page = developer.get("/admin/keys").await.body;
    let id = between(&page, "name=\"id\" value=\"", &['"']).to_owned();
    let form = format!("id={id}&name=Till&scope=create&days=90");
    let misspelt = format!("id={id}&name=&scope=create&days=90");
    assert_eq!(developer.post("/admin/keys", &misspelt).await.status, 422);
    let issued = developer.post("/admin/keys", &form).await;
    assert!(issued.status == 201 && issued.body.contains("Your new key"));
    assert_ne!(
        between(&issued.body, "name=\"id\" value=\"", &['"']),
        id,
        "for another key"
    );
    let again = developer.post("/admin/keys", &form).await;
    assert_eq!((again.status, again.header("location")), (303, Some("/admin/keys")));
    let page = developer.get("/admin/keys").await.body;
    assert!(page.contains("cannot be shown again") && !page.contains("Your new key"));
    assert_eq!(
        page.matches("/revoke\"").count(),
        2,
        "the tenant's first key, and this one"
    );
    let rotate = format!("/admin/keys/{id}/rotate");
    assert_eq!(developer.post(&rotate, "hours=24").await.status, 201);
    assert_eq!(developer.post(&rotate, "hours=24").await.status, 303);
    let page = developer.get("/admin/keys").await.body;
    assert!(page.contains("already been rotated") && page.contains("cannot be shown again"));
}
