//! `honnin user`: the commands that say whose account it is, and why they refuse.

use super::node::{Installation, add_tenant, settings};
use domain::{role::Role, secret::Secret, time::Millis};
use service::{
    access::CommandLine,
    people::{
        NewPerson,
        accept_invitation::accept_invitation,
        invite::{Offer, invite_from_here},
    },
};
use testkit::{client_at, localhost};

const EMAIL: &str = "rita@shop.example";

/// Whether the command succeeded, and what it printed.
fn user(installation: &Installation, arguments: &str) -> (bool, String) {
    let script = format!("honnin user {arguments}");
    let done = installation.shell(&script).output().unwrap();
    let printed = [done.stdout, done.stderr].concat();
    (done.status.success(), String::from_utf8(printed).unwrap())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_command_that_concerns_operators_says_whose_account_it_is_or_why_it_refuses() {
    let installation = Installation::new();
    let app = installation.open(Millis(0)).await;
    let tenant = add_tenant(&app, settings(None)).await.id;
    let person = NewPerson {
        email: EMAIL.into(),
        name: "Rita Example".into(),
    };
    let offer = Offer::of(tenant.clone(), Role::Reviewer);
    let invited = invite_from_here(&app.honnin, CommandLine::here(), offer, person).await;
    let link = invited.unwrap().link;
    let token = link.expose().rsplit('/').next().unwrap();
    let password = Secret::new("correct horse battery".to_owned());
    let joined = accept_invitation(&app.honnin, token, password, &client_at(localhost())).await;
    let id = joined.unwrap().user;
    app.honnin.close().await.unwrap();

    let whose = format!("\"Rita Example\" <{EMAIL}> ({id}), of the tenant \"Example Shop\" ({tenant}), added at ");
    let (done, printed) = user(&installation, &format!("grant-operator --email {EMAIL}"));
    let advice = format!("if this is who you mean, add --tenant {tenant}");
    assert!(
        !done && printed.contains(&whose) && printed.contains(&advice),
        "{printed}"
    );
    let (done, printed) = user(
        &installation,
        &format!("grant-operator --email {EMAIL} --tenant {tenant}"),
    );
    assert!(done && printed.contains(&whose), "{printed}");
    for command in ["disable", "revoke-operator"] {
        let (done, printed) = user(&installation, &format!("{command} --email {EMAIL}"));
        assert!(
            !done && printed.contains("this is the last operator of the installation"),
            "{printed}"
        );
    }
}
