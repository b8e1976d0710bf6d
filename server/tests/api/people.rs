//! The accounts of people who use the console.

use crate::{console::Browser, support::Server};
use domain::role::Role;
use service::people::set_up::set_up_link;

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
