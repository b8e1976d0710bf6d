//! The audit log's chain, as the system keeps it and as it is verified.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

use domain::{audit::AuditAction, role::Role};
use service::{
    access::Auditor,
    audit::{Filter, Head, Verified, export, verify},
};
use testkit::Harness;

async fn whole(harness: &Harness) -> Head {
    match verify(&harness.honnin, None).await.unwrap() {
        Verified::Whole(head, 0) => head,
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn what_happens_is_linked_by_the_worker_and_verified_against_what_was_noted() {
    let harness = Harness::new().await;
    harness.decided().await;
    harness.run_until_idle().await;
    let noted = whole(&harness).await;
    assert!(noted.position > 3, "{noted:?}");
    harness.decided().await;
    harness.run_until_idle().await;
    assert!(whole(&harness).await.position > noted.position);
    let verified = verify(&harness.honnin, Some(&noted)).await.unwrap();
    assert!(matches!(verified, Verified::Whole(..)), "{verified:?}");
    let other = Head {
        hash: vec![1; 32],
        ..noted.clone()
    };
    let beyond = Head {
        position: noted.position + 1000,
        ..noted.clone()
    };
    for wrong in [other, beyond] {
        assert_eq!(verify(&harness.honnin, Some(&wrong)).await.unwrap(), Verified::Replaced);
    }
    // Somebody who can write to the database covers their tracks.
    harness
        .database
        .run("UPDATE audit SET address = '192.0.2.9' WHERE position = 2")
        .await;
    assert_eq!(verify(&harness.honnin, None).await.unwrap(), Verified::Broken(2));
}

#[tokio::test]
async fn an_export_is_itself_recorded_and_holds_the_tenants_entries_only() {
    let harness = Harness::new().await;
    let foreign = harness.another_tenant().await;
    harness.create().await;
    service::session::create::create_session(&harness.honnin, &foreign, b"{}")
        .await
        .unwrap();
    let auditor = Auditor::of(&harness.staff(Role::Auditor).await).unwrap();
    let found = export(&harness.honnin, &auditor, Filter::default()).await.unwrap();
    let actions: Vec<_> = found.iter().map(|one| one.entry.action.clone()).collect();
    assert_eq!(actions, [AuditAction::AuditExport, AuditAction::SessionCreate]);
    assert_eq!(found[1].actor_name.as_deref(), Some("test"), "the key's name");
}
