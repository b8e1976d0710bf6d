//! `honnin audit verify` and `honnin audit export`: what they print, and that they fail.

use super::node::{Installation, add_tenant, settings};
use domain::time::Millis;
use std::process::Output;
use store::audit_chain;
use testkit::databases::{number_at, run_at};

fn verify(installation: &Installation, arguments: &str) -> Output {
    let script = format!("honnin audit verify {arguments}");
    installation.shell(&script).output().unwrap()
}

fn printed(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_command_finds_an_intact_log_a_replaced_one_and_a_changed_entry() {
    let installation = Installation::new();
    let app = installation.open(Millis(0)).await;
    for _ in 0..3 {
        add_tenant(&app, settings(None)).await;
    }
    let linked = app.honnin.db().write(async |tx| audit_chain::seal(tx, 1_000).await);
    let linked = linked.await.unwrap();
    assert!(linked >= 3);
    add_tenant(&app, settings(None)).await;
    app.honnin.close().await.unwrap();

    let intact = verify(&installation, "");
    let said = printed(&intact.stdout);
    assert!(intact.status.success(), "{said}");
    let (first, last) = said.split_once('\n').unwrap();
    let open = first.strip_prefix(&format!("The audit log is intact: {linked} entries, "));
    let open = open.and_then(|rest| rest.strip_suffix(" more not yet linked."));
    assert!(open.unwrap().parse::<u32>().unwrap() > 0, "{first}");
    let noted = last.trim().strip_prefix("Last entry").unwrap().trim();
    assert!(noted.starts_with(&format!("{linked}:")), "{last}");

    assert!(verify(&installation, &format!("--noted {noted}")).status.success());
    let other = verify(&installation, &format!("--noted {linked}:{}", "ab".repeat(32)));
    assert!(!other.status.success() && printed(&other.stderr).contains("it was replaced"));

    let url = format!("sqlite://{}", installation.data().join("honnin.db").display());
    assert_eq!(
        run_at(&url, "UPDATE audit SET actor = 'usr_1' WHERE position = 2").await,
        1
    );
    let broken = verify(&installation, "");
    let said = printed(&broken.stderr);
    assert!(
        !broken.status.success() && said.contains("the chain of the audit log is broken at position 2"),
        "{said}"
    );
    assert!(broken.stdout.is_empty(), "no last entry to be noted");
}

#[test]
fn a_log_without_entries_has_no_last_one_to_be_noted() {
    let installation = Installation::new();
    assert!(installation.shell("honnin migrate").output().unwrap().status.success());
    let intact = verify(&installation, "");
    let said = printed(&intact.stdout);
    assert!(
        intact.status.success() && said == "The audit log is intact: 0 entries, 0 more not yet linked.\n",
        "{said}"
    );
}

/// A log that is elsewhere, because the configuration is wrong, would be called intact.
#[test]
fn a_command_about_an_installation_that_does_not_exist_fails_and_begins_none() {
    let installation = Installation::new();
    for command in [
        "audit verify",
        "audit export --from 1",
        "keys check",
        "keys rotate --settle 0",
        "backup settle",
        "verify-decision vs_00000000000000000000000000000000",
        "user reset --email rita@shop.example",
    ] {
        let refused = installation.shell(&format!("honnin {command}")).output().unwrap();
        let said = printed(&refused.stderr);
        let file = installation.data().join("honnin.db");
        let reason = format!("there is no installation here: {} does not exist", file.display());
        assert!(!refused.status.success() && said.contains(&reason), "{command}: {said}");
        assert!(!installation.data().exists(), "{command}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_command_sets_the_export_back_to_an_entry_that_was_exported() {
    let installation = Installation::new();
    let app = installation.open(Millis(0)).await;
    for _ in 0..3 {
        add_tenant(&app, settings(None)).await;
    }
    app.honnin.close().await.unwrap();
    let url = format!("sqlite://{}", installation.data().join("honnin.db").display());
    let exported = "UPDATE audit_export SET position = 5, settled = 4, worker = 'one', until = 1";
    assert_eq!(run_at(&url, exported).await, 1);

    let export = |from: &str| {
        let script = format!("honnin audit export --from {from}");
        installation.shell(&script).output().unwrap()
    };
    for (from, told) in [
        ("0", "0 is not in 1.."),
        ("6", "the last entry exported is at position 5"),
    ] {
        let refused = export(from);
        let said = printed(&refused.stderr);
        assert!(!refused.status.success() && said.contains(told), "{said}");
    }
    let done = export("3");
    assert!(done.status.success(), "{}", printed(&done.stderr));
    assert!(printed(&done.stdout).contains("exported again from position 3 on"));
    assert_eq!(number_at(&url, "SELECT position FROM audit_export").await, 2);
    let held = "SELECT COUNT(*) FROM audit_export WHERE worker IS NOT NULL OR settled > 2";
    assert_eq!(
        number_at(&url, held).await,
        0,
        "another process would go on from where it is"
    );
    let recorded = "SELECT COUNT(*) FROM audit WHERE action = 'audit.export' AND detail = 'again from position 3'";
    assert_eq!(number_at(&url, recorded).await, 1);
}
