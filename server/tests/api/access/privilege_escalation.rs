//! Privilege escalation: attempts by one role, through HTTP, to get at what another role may see. Each was possible once.

use crate::{
    console::Browser,
    support::{SESSIONS, Server, add_tenant, between, settings},
};
use domain::{
    ids::TenantId,
    role::Role,
    tenant::{Mode, TenantSettings},
    time::{Millis, Timestamp},
};
use service::{
    jobs::worker::{Lane, Worker},
    people::set_up::set_up_link,
    review::UNDO,
};
use store::{
    StoreError,
    settings::tenants::{self, TenantRow},
};

const KNOWN: &str = r#"{"preRegisteredInfo": {"lastName": "Tanaka"}}"#;

/// The first account: operator of the installation, admin of the server's first tenant.
pub(crate) async fn operator(server: &Server) -> Browser<'_> {
    let link = set_up_link(&server.app.honnin).await.unwrap().unwrap();
    let path = link.expose().strip_prefix("https://id.example").unwrap().to_owned();
    let mut browser = Browser::new(server);
    let form = "name=Olga&email=olga%40host.example&password=correct+horse+battery";
    assert_eq!(browser.post(&path, form).await.header("location"), Some("/admin"));
    browser
}

/// The operator, working in the tenant of the server's key, which is not their own.
pub(super) async fn operator_elsewhere(server: &mut Server) -> Browser<'_> {
    server.clock.advance(Millis::seconds(1));
    let made = add_tenant(&server.app, settings()).await;
    (server.tenant, server.key) = (made.id.clone(), made.key.expose().clone());
    let mut browser = operator(server).await;
    let looking = browser.post("/admin/tenant", &format!("tenant={}", made.id)).await;
    assert_eq!(looking.header("location"), Some("/admin"));
    browser
}

/// The key shown on a page, if any.
fn key_in(page: &str) -> Option<String> {
    let (_, rest) = page.split_once("hn_live_")?;
    let digits: String = rest.chars().take_while(char::is_ascii_hexdigit).collect();
    (digits.len() > 40).then(|| format!("hn_live_{digits}"))
}

#[tokio::test]
async fn of_many_tenants_an_operator_chooses_from_the_first_hundred_and_finds_the_others_by_name() {
    let server = Server::new().await;
    let stored: Result<(), StoreError> = server
        .app
        .honnin
        .db()
        .write(async |tx| {
            for number in 0..101_u8 {
                let row = TenantRow {
                    id: TenantId::from_random([number; 16]),
                    name: format!("Branch {number:03} of 100%"),
                    settings: None,
                    mode: Mode::Live,
                    // Later than the server's own, in which the operator begins.
                    created_at: Timestamp::from_millis(4_000_000_000_000),
                    version: 0,
                };
                tenants::insert(tx, &row).await?;
            }
            Ok(())
        })
        .await;
    stored.unwrap();
    let mut operator = operator(&server).await;
    let options = |page: &str| {
        let (_, select) = page.split_once("<select id=\"tenant\"").unwrap();
        select.split("</select>").next().unwrap().matches("<option").count()
    };
    let page = operator.get("/admin").await.body;
    assert!(page.contains("Find another tenant"));
    // Branches come before the tenant of the server, which is open.
    let open = operator.get("/admin/tenants").await.body;
    assert!(open.contains("Only the first 100 tenants are listed."), "{open}");
    assert!(!open.contains("Branch 100") && open.contains("Branch 099"));
    assert_eq!(options(&page), 101, "the first hundred, and the one that is open");
    let found = operator.get("/admin/tenants?q=100+OF+100%25").await.body;
    let (_, list) = found.split_once("<table").unwrap();
    assert!(list.contains("Branch 100") && !list.contains("Branch 099"), "{list}");
    for nobody in ["nobody".to_owned(), "_".repeat(26_000)] {
        let none = operator.get(&format!("/admin/tenants?q={nobody}")).await.body;
        assert!(none.contains("No tenant has this name"), "{none}");
    }
}

#[tokio::test]
async fn an_operator_creates_a_tenant_and_gets_nothing_that_reads_its_data() {
    let server = Server::new().await;
    server.create("{}").await;
    let mut operator = operator(&server).await;
    let list = operator.get("/admin/tenants").await.body;
    assert!(
        list.contains("data-label=\"Sessions in 30 days\" class=\"number\">1<"),
        "{list}"
    );
    for (form, sentence) in [
        ("name=&mode=live", "Enter a name of 1 to 100 visible characters"),
        ("name=Bank+B", "Choose live or sandbox."),
    ] {
        let refused = operator.post("/admin/tenants", form).await;
        assert!(
            refused.status == 422 && refused.body.contains(sentence),
            "{form}: {}",
            refused.body
        );
    }
    let made = operator.post("/admin/tenants", "name=Bank+B&mode=sandbox").await;
    assert_eq!((made.status, made.header("location")), (303, Some("/admin/tenants")));
    let list = operator.get("/admin/tenants").await.body;
    assert!(list.contains("Tenant created.") && list.contains("Bank B") && list.contains("Sandbox"));
    assert!(
        key_in(&list).is_none() && !list.contains("hn_test_") && !list.contains("whsec_"),
        "{list}"
    );
    let id = list
        .split("name=\"tenant\" value=\"")
        .skip(1)
        .map(|rest| rest.split('"').next().unwrap());
    let id = id.last().unwrap().to_owned();
    operator.post("/admin/tenant", &format!("tenant={id}")).await;
    let audit = operator.get("/admin/audit").await.body;
    assert!(
        audit.contains("created the tenant") && audit.contains("Olga"),
        "{audit}"
    );
    for page in ["/admin/keys", "/admin/settings", "/admin/webhooks", "/admin/review"] {
        assert_eq!(operator.get(page).await.status, 403, "{page}");
    }
    let invited = operator
        .post(
            "/admin/people",
            &format!("name=Ana&email=ana%40b.example&role=admin&tenant={id}"),
        )
        .await;
    assert_eq!(invited.status, 201, "the first admin: {}", invited.body);
    // Nobody else sees who else is a customer.
    let mut admin = Browser::signed_in(&server, Role::Admin).await;
    assert_eq!(admin.get("/admin/tenants").await.status, 403);
    assert!(!admin.get("/admin").await.body.contains("/admin/tenants"));
}

#[tokio::test]
async fn whoever_sends_the_form_of_a_new_tenant_twice_creates_one() {
    let server = Server::new().await;
    let mut operator = operator(&server).await;
    let page = operator.get("/admin/tenants").await.body;
    let id = between(&page, "name=\"id\" value=\"", &['"']);
    let form = format!("id={id}&name=Bank+B&mode=live");
    let mut named = Vec::new();
    for said in ["Tenant created.", "This form has already been sent"] {
        let sent = operator.post("/admin/tenants", &form).await;
        assert_eq!((sent.status, sent.header("location")), (303, Some("/admin/tenants")));
        let list = operator.get("/admin/tenants").await.body;
        assert!(list.contains(said), "{list}");
        named.push(list.matches("Bank B").count());
    }
    assert!(named[0] > 0 && named[0] == named[1], "{named:?}");
}

#[tokio::test]
async fn a_developer_gets_no_key_that_reads_personal_data() {
    let server = Server::new().await;
    let id = server.create(KNOWN).await["id"].as_str().unwrap().to_owned();
    let mut developer = Browser::signed_in(&server, Role::Developer).await;
    let wrong = server
        .send("GET", &format!("{SESSIONS}/{id}"), &[("authorization", "Bearer x")], "")
        .await;
    for form in [
        "name=Till",
        "name=Till&scope=create",
        "name=Till&scope=create&scope=manage",
        "name=Till&scope=create&scope=read&scope=manage",
        "name=Till&scope=read",
    ] {
        let Some(key) = key_in(&developer.post("/admin/keys", form).await.body) else {
            continue;
        };
        let headers = [("authorization", format!("Bearer {key}"))];
        let headers = headers.each_ref().map(|(name, value)| (*name, value.as_str()));
        let read = server.send("GET", &format!("{SESSIONS}/{id}"), &headers, "").await;
        assert_eq!((read.status, &read.body), (401, &wrong.body), "{form}");
    }
    assert!(!developer.get("/admin/keys").await.body.contains("value=\"read\""));
}

#[tokio::test]
async fn an_operator_issues_no_key_in_anothers_tenant() {
    let mut server = Server::new().await;
    let mut operator = operator_elsewhere(&mut server).await;
    let refused = operator.post("/admin/keys", "name=Till&scope=create&scope=read").await;
    assert_eq!((refused.status, key_in(&refused.body)), (403, None));
    assert_eq!(operator.get("/admin/keys").await.status, 403);
}

#[tokio::test]
async fn an_operator_adds_nobody_to_a_tenant_that_has_an_admin() {
    let mut server = Server::new().await;
    server.clock.advance(Millis::seconds(1));
    server.tenant = add_tenant(&server.app, settings()).await.id;
    let mut operator = operator(&server).await;
    drop(Browser::signed_in_as(&server, "theirs", Role::Admin).await);
    operator
        .post("/admin/tenant", &format!("tenant={}", server.tenant))
        .await;
    for role in Role::ALL {
        let form = format!(
            "name=Mole&email=mole%40host.example&role={}&password=correct+horse+battery&tenant={}",
            role.as_str(),
            server.tenant
        );
        let refused = operator.post("/admin/people", &form).await;
        assert_eq!(refused.status, 403, "{role:?}");
    }
    let mut mole = Browser::new(&server);
    assert_eq!(
        mole.sign_in("mole@host.example").await.status,
        422,
        "no person of that name"
    );
}

/// An operator looks at the people of another tenant, and switches back to their own in another tab before they send the form.
#[tokio::test]
async fn an_invitation_leads_to_the_tenant_whose_page_it_was_made_on_or_nowhere() {
    let server = Server::new().await;
    server.clock.advance(Millis::seconds(1));
    let mut operator = operator(&server).await;
    let (own, other) = (
        server.tenant.to_string(),
        add_tenant(&server.app, settings()).await.id.to_string(),
    );
    let switch_to = async |operator: &mut Browser<'_>, tenant: &str| {
        let switched = operator.post("/admin/tenant", &format!("tenant={tenant}")).await;
        assert_eq!(switched.header("location"), Some("/admin"));
    };
    switch_to(&mut operator, &other).await;
    let page = operator.get("/admin/people").await.body;
    let (_, form) = page.split_once("action=\"/admin/people\"").unwrap();
    assert!(form.contains(&format!("name=\"tenant\" value=\"{other}\"")), "{form}");
    switch_to(&mut operator, &own).await;
    let typed = |tenant: &str| format!("name=Ana&email=ana%40b.example&role=admin&tenant={tenant}");
    let refused = operator.post("/admin/people", &typed(&other)).await;
    assert_eq!(refused.status, 422, "{}", refused.body);
    assert!(
        refused
            .body
            .contains("Nobody was invited. You have switched to Example Shop in another tab.")
            && refused.body.contains("value=\"Ana\"")
            && !refused.body.contains("/admin/invitation/"),
        "{}",
        refused.body
    );
    let (_, chosen) = refused.body.split_once("id=\"role\"").unwrap();
    assert!(
        !between(chosen, "value=\"admin\"", &['>']).contains("selected"),
        "what was offered for the other tenant: {chosen}"
    );
    assert_eq!(
        operator.post("/admin/people", &typed(&own)).await.status,
        201,
        "as shown"
    );
}

#[tokio::test]
async fn a_developer_sends_no_old_note_to_a_new_address() {
    let mut server = Server::with("[worker]\nembedded = false\n[webhooks]\nallow_networks = [\"127.0.0.0/8\"]\n").await;
    let made = crate::support::add_sandbox(&server.app, settings()).await;
    (server.tenant, server.key) = (made.id.clone(), made.key.expose().clone());
    let at = |url: &str| TenantSettings {
        webhook_url: Some(url.to_owned()),
        ..settings()
    };
    server.save_settings(Some(at("https://127.0.0.1:1443/shop"))).await;
    let id = server.create("{}").await["id"].as_str().unwrap().to_owned();
    let path = format!("/v1/sandbox/verification-sessions/{id}/complete");
    server.call("POST", &path, r#"{"outcome":"needs_review"}"#).await;
    let mut reviewer = Browser::signed_in(&server, Role::Reviewer).await;
    reviewer.get(&format!("/admin/review/{id}")).await;
    let ruled = reviewer
        .post(
            &format!("/admin/review/{id}"),
            "attempt=1&decision=approve&note=Called+her+back.",
        )
        .await;
    assert_eq!(ruled.status, 303, "{}", ruled.body);
    server.clock.advance(UNDO);
    let worker = Worker::new(server.app.honnin.clone(), Lane::Housekeeping, 1);
    worker.run_until_idle().await.unwrap();
    server.clock.advance(Millis::seconds(1));

    let mut developer = Browser::signed_in(&server, Role::Developer).await;
    let page = developer.get("/admin/settings/webhook").await.body;
    let version = between(&page, "name=\"version\" value=\"", &['"']).to_owned();
    let form = format!(
        "version={version}&webhook_url=https%3A%2F%2F127.0.0.1%3A2443%2Fmine&event=verification.approved&confirmed=yes"
    );
    let saved = developer.post("/admin/settings/webhook", &form).await;
    assert_eq!(saved.status, 303, "{}", saved.body);
    let list = developer.get("/admin/webhooks?kind=verification.approved").await.body;
    let event = between(&list, "/admin/webhooks/evt_", &['"', '?']).to_owned();
    developer.post(&format!("/admin/webhooks/evt_{event}/again"), "").await;
    let told = developer.get("/admin").await.body;
    assert!(
        told.contains("An admin can confirm the URL or send the event."),
        "{told}"
    );
    developer
        .post("/admin/webhooks/again", "kind=verification.approved")
        .await;
    let told = developer.get("/admin").await.body;
    assert!(told.contains("Resent: 0. Skipped: 1"), "{told}");

    let mut admin = Browser::signed_in(&server, Role::Admin).await;
    admin.post(&format!("/admin/webhooks/evt_{event}/again"), "").await;
    assert!(admin.get("/admin").await.body.contains("The event is being sent"));
}

#[tokio::test]
async fn the_last_operator_is_not_shut_out_by_another_admin() {
    let server = Server::new().await;
    let mut operator = operator(&server).await;
    let mut admin = Browser::signed_in(&server, Role::Admin).await;
    let page = admin.get("/admin/people").await.body;
    let id = page.split("/admin/people/usr_").nth(1).unwrap()[..32].to_owned();
    admin.post(&format!("/admin/people/usr_{id}"), "change=disable").await;
    assert_eq!(operator.get("/admin").await.status, 200, "still there");
    assert!(
        admin
            .get("/admin")
            .await
            .body
            .contains("This person is an operator. Here, only another operator can change their account.")
    );
}
