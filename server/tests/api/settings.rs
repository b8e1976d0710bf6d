//! A tenant's settings in the console.

use crate::{
    access::privilege_escalation::operator,
    console::Browser,
    support::{START, Server, between, settings},
};
use domain::{role::Role, tenant::TenantSettings, time::Millis};
use service::privacy::secret_age;
use std::time::Duration;
use store::settings::{api_keys, webhook_secrets};
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::TcpStream,
    time::timeout,
};

/// The role is known before a file is read, and somebody else's holds nothing.
#[tokio::test]
async fn whoever_may_not_change_the_logo_is_told_before_their_file_has_arrived() {
    let server = Server::with("[http]\nbody_grace = 3600\n").await;
    let auditor = Browser::signed_in(&server, Role::Auditor).await;
    let head = format!(
        "POST /admin/settings/logo HTTP/1.1\r\nhost: id.example\r\nsec-fetch-site: same-origin\r\n\
         cookie: __Host-console={}\r\ncontent-type: multipart/form-data; boundary=b\r\ncontent-length: 1000000\r\n\r\n\
         --b\r\ncontent-disposition: form-data; name=\"logo-file\"; filename=\"a.png\"\r\n\r\n",
        auditor.cookie.unwrap()
    );
    let mut stream = TcpStream::connect(server.address).await.unwrap();
    stream.write_all(head.as_bytes()).await.unwrap();
    stream.write_all(&[b'a'; 300 * 1024]).await.unwrap();
    let mut answered = [0; 12];
    let answer = stream.read_exact(&mut answered);
    timeout(Duration::from_secs(60), answer)
        .await
        .expect("an answer")
        .unwrap();
    assert_eq!(&answered, b"HTTP/1.1 403");
}

#[tokio::test]
async fn settings_are_saved_by_section_and_mistakes_come_back_with_what_was_typed() {
    let server = Server::new().await;
    let mut browser = Browser::signed_in(&server, Role::Admin).await;
    let page = browser.get("/admin/settings/addresses").await;
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
            &format!("version={version}&step=selfie&tries=3&flashes=yes&confirmed=yes"),
        )
        .await;
    assert_eq!(saved.header("location"), Some("/admin/settings/steps"));
    let page = browser.get("/admin/settings/steps").await;
    assert!(page.body.contains("Saved.") && page.body.contains("value=\"3\""));
    assert!(
        between(&page.body, "name=\"flashes\"", &['>']).contains("checked"),
        "the colours of the screen are asked for"
    );
    assert!(
        !browser.get("/admin/settings/steps").await.body.contains("Saved."),
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
        &browser.get("/admin/settings/decision").await.body,
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
    assert!(
        browser
            .get("/admin/settings/decision")
            .await
            .body
            .contains("value=\"0.99\"")
    );
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
    assert_eq!(saved.header("location"), Some("/admin/settings/decision"));
    let page = browser.get("/admin/settings/decision").await.body;
    let ticked = between(&page, "name=\"find_duplicates\"", &['>']);
    assert!(ticked.contains("checked") && page.contains("value=\"0.995\"") && page.contains("value=\"0.05\""));
}

#[tokio::test]
async fn a_callback_url_is_tested_with_the_list_as_it_is_typed() {
    const PAGE: &str = "/admin/settings/callbacks";
    let server = Server::new().await;
    let mut browser = Browser::signed_in(&server, Role::Admin).await;
    let before = browser.get(PAGE).await.body;
    let version = between(&before, "name=\"version\" value=\"", &['"']).to_owned();
    let test = async |browser: &mut Browser<'_>, list: &str| {
        let form = format!("version={version}&callback_urls={list}&test=https%3A%2F%2Fnew.example%2Fback&judge=yes");
        browser.post(PAGE, &form).await
    };
    for (list, answer) in [
        ("https%3A%2F%2Fnew.example%2Fback", "Allowed."),
        (
            "https%3A%2F%2Fother.example%2Fback",
            "This callback URL is not on the allow-list.",
        ),
    ] {
        let tested = test(&mut browser, list).await;
        let list = list.replace("%3A", ":").replace("%2F", "/");
        assert_eq!(tested.status, 200, "{}", tested.body);
        for part in [
            answer,
            &format!(">{list}</textarea>"),
            "value=\"https://new.example/back\"",
        ] {
            assert!(tested.body.contains(part), "{part}: {}", tested.body);
        }
    }
    let wrong = test(&mut browser, "http%3A%2F%2Fnew.example%2Fback").await;
    assert!(
        wrong.status == 422 && wrong.body.contains("value=\"https://new.example/back\""),
        "{}",
        wrong.body
    );
    assert!(
        wrong.body.contains("<title>Error: ")
            && wrong
                .body
                .contains("aria-describedby=\"callback_urls-hint callback_urls-error\""),
        "{}",
        wrong.body
    );
    let stored = browser.get(PAGE).await.body;
    assert!(!stored.contains("new.example"), "nothing is saved: {stored}");
}

#[tokio::test]
async fn whoever_changes_the_logo_keeps_what_they_have_typed_above_it() {
    const PAGE: &str = "/admin/settings/look";
    let server = Server::new().await;
    let mut browser = Browser::signed_in(&server, Role::Admin).await;
    let version = between(&browser.get(PAGE).await.body, "name=\"version\" value=\"", &['"']).to_owned();
    let form = |name: &str| format!("version={version}&name={name}&accent=&contact=help%40shop");
    let typed = ["value=\"Sakura Bank\"", "value=\"help@shop\""];
    let none = browser.post("/admin/settings/logo", &form("Sakura+Bank")).await;
    assert!(
        none.status == 422 && none.body.contains("Choose a file."),
        "{}",
        none.body
    );
    let removed = browser.post("/admin/settings/logo/remove", &form("Sakura+Bank")).await;
    assert_eq!(removed.status, 200);
    assert!(
        removed.body.contains("The other fields are not saved yet."),
        "{}",
        removed.body
    );
    for part in typed {
        assert!(none.body.contains(part) && removed.body.contains(part), "{part}");
    }
    let plain = format!("version={version}&name=Example+Shop&accent=&contact=");
    let removed = browser.post("/admin/settings/logo/remove", &plain).await;
    assert_eq!(removed.header("location"), Some(PAGE), "nothing was typed");
    let page = browser.get(PAGE).await.body;
    assert!(page.contains("Removed.") && !page.contains("Sakura"), "{page}");
}

#[tokio::test]
async fn from_the_second_look_one_returns_to_the_form_with_what_was_typed() {
    const PAGE: &str = "/admin/settings/addresses";
    let server = Server::new().await;
    let mut browser = Browser::signed_in(&server, Role::Admin).await;
    let version = between(&browser.get(PAGE).await.body, "name=\"version\" value=\"", &['"']).to_owned();
    let form = format!("version={version}&ip_allow_list=192.0.2.0%2F24");
    let look = browser.post(PAGE, &form).await;
    assert!(
        look.status == 200 && look.body.contains("Nothing is saved yet") && look.body.contains(">Change it</button>"),
        "{}",
        look.body
    );
    let back = browser.post(PAGE, &format!("{form}&confirmed=yes&back=yes")).await;
    assert_eq!(back.status, 200);
    assert!(
        back.body.contains(">192.0.2.0/24</textarea>") && !back.body.contains("Nothing is saved yet"),
        "{}",
        back.body
    );
    assert!(
        !browser.get(PAGE).await.body.contains("192.0.2.0/24</textarea>"),
        "nothing is saved"
    );
}

#[tokio::test]
async fn stricter_thresholds_show_their_effect_on_request_and_are_saved_without_a_password() {
    const PAGE: &str = "/admin/settings/decision";
    let server = Server::new().await;
    let mut browser = Browser::signed_in(&server, Role::Admin).await;
    let version = between(&browser.get(PAGE).await.body, "name=\"version\" value=\"", &['"']).to_owned();
    let form = |accept: &str| {
        format!(
            "version={version}&match_accept={accept}&match_review=0.5&liveness_accept=0.6&liveness_review=0.2\
             &accepted=machine_readable&duplicate_from=0.99&sampled=0"
        )
    };
    let preview = |accept: &str| form(accept) + "&preview=yes";
    server.clock.advance(Millis::minutes(5));
    let wrong = browser.post(PAGE, &preview("2")).await;
    assert!(
        wrong.status == 422 && wrong.body.contains("value=\"2\""),
        "{}",
        wrong.body
    );
    let same = browser.post(PAGE, &preview("0.83")).await;
    assert!(same.body.contains("These are the current settings."), "{}", same.body);
    let shown = browser.post(PAGE, &preview("0.95")).await;
    assert_eq!(shown.status, 200);
    for part in [
        "Nothing is saved yet",
        "Effect on decisions",
        "name=\"match_accept\" value=\"0.95\"",
    ] {
        assert!(shown.body.contains(part), "{part}: {}", shown.body);
    }
    for part in ["name=\"password\"", "name=\"confirmed\"", "name=\"preview\""] {
        assert!(!shown.body.contains(part), "{part}: {}", shown.body);
    }
    assert!(
        browser.get(PAGE).await.body.contains("value=\"0.83\""),
        "nothing is saved"
    );
    assert_eq!(browser.post(PAGE, &form("0.95")).await.status, 303);
    assert!(browser.get(PAGE).await.body.contains("value=\"0.95\""));
}

#[tokio::test]
async fn what_somebody_else_has_saved_is_shown_before_it_is_overwritten() {
    const PAGE: &str = "/admin/settings/callbacks";
    let server = Server::new().await;
    let mut browser = Browser::signed_in(&server, Role::Admin).await;
    let version_of = |page: &str| between(page, "name=\"version\" value=\"", &['"']).to_owned();
    let form = |version: &str, host: &str| {
        format!("version={version}&callback_urls=https%3A%2F%2F{host}%2Fback&confirmed=yes")
    };
    let before = version_of(&browser.get(PAGE).await.body);
    assert_eq!(browser.post(PAGE, &form(&before, "one.example")).await.status, 303);
    // From a page of before. A mistake on it does not make it newer.
    let wrong = browser.post(PAGE, &form(&before, "not a host")).await;
    assert_eq!((wrong.status, version_of(&wrong.body)), (422, before.clone()));
    let compared = browser.post(PAGE, &form(&before, "two.example")).await;
    assert_eq!(compared.status, 422);
    for part in [
        "Somebody else has changed the settings",
        "Nothing is saved yet",
        "https://one.example/back",
        "https://two.example/back",
    ] {
        assert!(compared.body.contains(part), "{part}: {}", compared.body);
    }
    let stored = browser.get(PAGE).await.body;
    assert!(stored.contains("one.example") && !stored.contains("two.example"));
    let current = version_of(&compared.body);
    assert_eq!(browser.post(PAGE, &form(&current, "two.example")).await.status, 303);
    assert!(browser.get(PAGE).await.body.contains("two.example"));
    let same = browser.post(PAGE, &form(&before, "two.example")).await;
    assert_eq!(same.status, 303, "nothing would change");
}

#[tokio::test]
async fn a_new_name_is_compared_with_what_somebody_else_has_saved_and_settings_are_called_as_in_their_form() {
    const PAGE: &str = "/admin/settings/look";
    let server = Server::new().await;
    let mut browser = Browser::signed_in(&server, Role::Admin).await;
    let page = browser.get(PAGE).await.body;
    let version = between(&page, "name=\"version\" value=\"", &['"']);
    let form = |name: &str| format!("version={version}&name={name}&contact=https%3A%2F%2Fshop.example%2Fhelp");
    assert_eq!(browser.post(PAGE, &form("Example+Shop")).await.status, 303);
    for (language, name, contact, none) in [
        ("en", "Name", "Contact for your users", "none"),
        ("ja", "名称", "利用者向けの問い合わせ先", "なし"),
    ] {
        browser.language = Some(language);
        let compared = browser.post(PAGE, &form("Sakura+Bank")).await;
        assert_eq!(compared.status, 422, "{}", compared.body);
        let shown = browser.get(PAGE).await.body;
        assert!(!shown.contains("Sakura Bank"), "{shown}");
        assert!(shown.contains(&format!(">{name}</label>")), "{shown}");
        assert!(compared.body.contains(&format!(">{name}</th>")), "{}", compared.body);
        let audit = browser.get("/admin/audit?action=settings.change").await.body;
        let recorded = format!("{contact} {none} → https://shop.example/help");
        assert!(shown.contains(&format!(">{contact}</label>")), "{shown}");
        assert!(audit.contains(&recorded), "{audit}");
    }
}

/// The sections, and whether developers may change them.
const SECTIONS: [(&str, bool); 9] = [
    ("steps", false),
    ("decision", false),
    ("review", false),
    ("look", false),
    ("webhook", true),
    ("callbacks", true),
    ("addresses", true),
    ("lifetimes", false),
    ("sign_in", false),
];

#[tokio::test]
async fn the_index_says_what_each_section_holds_and_leads_to_its_page() {
    let server = Server::new().await;
    let set = TenantSettings {
        ip_allow_list: vec!["192.0.2.0/24".parse().unwrap(), "2001:db8::/32".parse().unwrap()],
        retention: Millis::days(1),
        ..settings()
    };
    server.save_settings(Some(set)).await;
    let mut admin = Browser::signed_in(&server, Role::Admin).await;
    let mut developer = Browser::signed_in(&server, Role::Developer).await;
    let (all, some) = (
        admin.get("/admin/settings").await.body,
        developer.get("/admin/settings").await.body,
    );
    for line in [
        "Document, Selfie. Tries per step: 5",
        "Target: 1 day",
        "https://shop.example/done",
        "192.0.2.0/24 and 1 more",
        "Link 2 days, session 7 days, personal data 1 day",
        "A second factor is optional",
        "No receiver",
    ] {
        assert!(all.contains(line), "{line}: {all}");
    }
    for (section, developers) in SECTIONS {
        let path = format!("/admin/settings/{section}");
        let link = format!("<li id=\"{section}\"><a href=\"{path}\">");
        assert!(all.contains(&link), "{section}");
        assert_eq!(some.contains(&link), developers, "{section}");
        let page = admin.get(&path).await;
        assert_eq!(page.status, 200, "{section}");
        assert!(
            page.body.contains(&format!("action=\"{path}\"")) && page.body.contains("href=\"/admin/settings\""),
            "its form, and the way back: {section}"
        );
        for (method, form) in [("GET", ""), ("POST", "version=x")] {
            let refused = developer.send(method, &path, form).await.status == 403;
            assert_eq!(refused, !developers, "{method} {section}");
        }
    }
    assert_eq!(admin.get("/admin/settings/nowhere").await.status, 404);
    assert_eq!(admin.post("/admin/settings/nowhere", "version=1").await.status, 404);
}

#[tokio::test]
async fn the_branding_is_shown_before_it_is_saved() {
    let server = Server::new().await;
    let mut browser = Browser::signed_in(&server, Role::Admin).await;
    let page = browser.get("/admin/settings/look").await.body;
    let version = between(&page, "name=\"version\" value=\"", &['"']).to_owned();
    let typed = |accent: &str| format!("version={version}&name=Sakura+Bank&accent={accent}&contact=");
    let shown = browser
        .post("/admin/settings/look", &(typed("%23a0105a") + "&preview=yes"))
        .await;
    assert_eq!(shown.status, 200);
    let sample = between(&shown.body, "<section data-sample", &[]).to_owned();
    assert!(
        sample.contains(".sample{--accent:#a0105a") && sample.contains("Sakura Bank needs to verify your identity")
    );
    assert!(shown.body.contains("value=\"Sakura Bank\"") && shown.body.contains("value=\"#a0105a\""));
    let wrong = browser
        .post("/admin/settings/look", &(typed("pink") + "&preview=yes"))
        .await;
    assert!(wrong.status == 422 && wrong.body.contains("The accent colour"));
    let page = browser.get("/admin/settings/look").await.body;
    assert!(
        !page.contains("Sakura Bank") && !page.contains("a0105a"),
        "nothing was saved"
    );
    assert_eq!(
        browser.post("/admin/settings/look", &typed("%23a0105a")).await.status,
        303
    );
    assert!(
        browser
            .get("/admin/settings/look")
            .await
            .body
            .contains(".sample{--accent:#a0105a")
    );
}

#[tokio::test]
async fn the_overview_says_that_a_key_or_a_signing_secret_is_missing() {
    const TO_DO: [&str; 2] = ["Issue an API key. Without one", "Issue a signing secret. Without one"];
    let server = Server::new().await;
    let receiver = TenantSettings {
        webhook_url: Some("https://192.168.0.1/hooks".into()),
        ..settings()
    };
    server.save_settings(Some(receiver)).await;
    let mut developer = Browser::signed_in(&server, Role::Developer).await;
    let mut reviewer = Browser::signed_in(&server, Role::Reviewer).await;
    let page = developer.get("/admin").await.body;
    assert!(!TO_DO.iter().any(|to_do| page.contains(to_do)), "{page}");
    let tenant = server.tenant.clone();
    let unit = server.app.honnin.db().write(async move |tx| {
        let secret = webhook_secrets::list_valid(tx, &tenant).await?.remove(0);
        webhook_secrets::disable(tx, &tenant, &secret.id, START).await?;
        let key = api_keys::list(tx, &tenant).await?.remove(0);
        api_keys::revoke(tx, &tenant, &key.id, START).await
    });
    assert!(unit.await.unwrap());
    let page = developer.get("/admin").await.body;
    assert!(TO_DO.iter().all(|to_do| page.contains(to_do)), "{page}");
    let page = reviewer.get("/admin").await.body;
    assert!(!TO_DO.iter().any(|to_do| page.contains(to_do)), "{page}");
    // Without a receiver, no secret is needed.
    server.save_settings(Some(settings())).await;
    let page = developer.get("/admin").await.body;
    assert!(page.contains(TO_DO[0]) && !page.contains(TO_DO[1]), "{page}");
}

#[tokio::test]
async fn secrets_that_are_too_old_are_shown_to_those_who_can_replace_them() {
    let server = Server::with("[secrets]\nmax_age_days = 30\n[worker]\nembedded = false\n").await;
    let honnin = &server.app.honnin;
    secret_age::note(honnin).await.unwrap();
    let mut operator = operator(&server).await;
    server.clock.advance(Millis::days(29));
    let overview = async |who: &mut Browser<'_>| who.get("/admin").await.body;
    let mut early = Browser::signed_in_as(&server, "early", Role::Admin).await;
    assert!(!overview(&mut early).await.contains("Secrets to replace"));
    server.clock.advance(Millis::days(1));
    let mut admin = Browser::signed_in_as(&server, "admin", Role::Admin).await;
    let page = overview(&mut admin).await;
    assert!(page.contains("Secrets to replace"), "{page}");
    assert!(
        page.contains("<a href=\"/admin/webhooks/secrets\">Webhook signing secret</a>: 30 days."),
        "{page}"
    );
    assert!(
        page.contains("<a href=\"/admin/keys\">API key “first key”</a>: 30 days."),
        "{page}"
    );
    assert!(!page.contains("honnin keys rotate"), "of the installation: {page}");
    let keys = admin.get("/admin/keys").await.body;
    assert!(
        keys.contains("<span class=\"badge warn\">Older than 30 days</span>"),
        "{keys}"
    );
    admin.language = Some("ja");
    let page = overview(&mut admin).await;
    assert!(
        page.contains("更新が必要なシークレット") && page.contains("Webhookの署名シークレット"),
        "{page}"
    );
    for role in [Role::Reviewer, Role::Auditor] {
        let mut other = Browser::signed_in(&server, role).await;
        assert!(!overview(&mut other).await.contains("Secrets to replace"), "{role}");
    }
    assert_eq!(operator.sign_in("olga@host.example").await.status, 303);
    let page = overview(&mut operator).await;
    assert!(
        page.contains("Master key: 30 days. Run <code>honnin keys rotate</code> on the server."),
        "{page}"
    );
}

#[tokio::test]
async fn a_colour_that_is_shown_as_another_one_is_named_with_it() {
    let server = Server::new().await;
    let mut admin = Browser::signed_in(&server, Role::Admin).await;
    let page = admin.get("/admin/settings/look").await.body;
    assert!(page.contains("data-legible") && !page.contains("instead."), "{page}");
    let version = between(&page, "name=\"version\" value=\"", &['"']);
    let look = |accent: &str| format!("version={version}&name=Shop&contact=&preview=yes&accent=%23{accent}");
    let light = admin.post("/admin/settings/look", &look("ffd23f")).await.body;
    let told = "Too light to be read on a light page: ";
    let instead = between(&light, told, &[' ']);
    assert!(instead.starts_with('#') && instead != "#ffd23f", "{light}");
    assert!(light.contains(&format!("fill=\"{instead}\"")), "with a sample: {light}");
    assert!(!light.contains("Too dark"), "{light}");
    let dark = admin.post("/admin/settings/look", &look("101010")).await.body;
    assert!(
        dark.contains("Too dark to be read on a dark page: #") && !dark.contains(told),
        "{dark}"
    );
}
