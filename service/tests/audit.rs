//! The audit log's chain, as the system keeps it and as it is verified.

use domain::{
    audit::{Actor, AuditAction},
    role::Role,
    time::Timestamp,
};
use futures::{
    TryStreamExt as _,
    future::{Either, select},
};
use service::{
    access::Auditor,
    audit::{
        ExportFormat, Filter, Head, LOOKED_AT, Newest, Recorded, Verified, export, search, verify, verify_many,
        verify_newest,
    },
};
use std::pin::pin;
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
async fn the_newest_entries_are_verified_by_themselves_and_an_older_change_only_with_them() {
    let harness = Harness::new().await;
    harness.decided().await;
    harness.run_until_idle().await;
    let auditor = Auditor::of(&harness.staff(Role::Auditor).await).unwrap();
    let newest = async |most| verify_newest(&harness.honnin, &auditor, most).await.unwrap();
    let last = whole(&harness).await;
    let intact = |first| Newest {
        first,
        verified: Verified::Whole(last.clone(), 0),
    };
    assert_eq!(newest(2).await, intact(last.position - 1));
    assert_eq!(newest(1_000).await, intact(1));
    assert_eq!(verify_many(&harness.honnin, &auditor).await.unwrap(), Some(intact(1)));
    harness
        .database
        .run("UPDATE audit SET actor = 'usr_1' WHERE position = 1")
        .await;
    assert_eq!(newest(2).await, intact(last.position - 1));
    assert_eq!(newest(1_000).await.verified, Verified::Broken(1));
}

async fn exported(harness: &Harness, auditor: &Auditor, filter: Filter) -> Vec<Recorded> {
    let parts = export(&harness.honnin, auditor, filter, ExportFormat::Csv)
        .await
        .unwrap();
    parts.try_concat().await.unwrap()
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
    let found = exported(&harness, &auditor, Filter::default()).await;
    let actions: Vec<_> = found.iter().map(|one| one.entry.action.clone()).collect();
    assert_eq!(actions, [AuditAction::AuditExport, AuditAction::SessionCreate]);
    assert_eq!(found[1].actor_name.as_deref(), Some("test"), "the key's name");
}

#[tokio::test]
async fn an_export_is_recorded_with_its_format_and_filter_but_not_with_what_may_be_a_name() {
    let harness = Harness::new().await;
    let auditor = Auditor::of(&harness.staff(Role::Auditor).await).unwrap();
    let session = harness.create().await.id;
    let filter = Filter {
        subject: Some(session.to_string()),
        actor: Some(Actor::parse("Rita Example")),
        action: Some(AuditAction::SessionCreate),
        from: Some(Timestamp::from_millis(0)),
        until: None,
    };
    assert!(exported(&harness, &auditor, filter).await.is_empty());
    let found = exported(&harness, &auditor, Filter::default()).await;
    let details: Vec<_> = found
        .iter()
        .take(2)
        .map(|one| one.entry.detail.clone().unwrap())
        .collect();
    let first = format!("csv, action session.create, by an invalid id, about {session}, from 1970-01-01T00:00:00.000Z");
    assert_eq!(details, ["csv".to_owned(), first]);
}

#[tokio::test]
async fn an_export_holds_every_entry_of_a_long_log() {
    const ENTRIES: usize = 100_050;
    let harness = Harness::new().await;
    let auditor = Auditor::of(&harness.staff(Role::Auditor).await).unwrap();
    let insert = format!(
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {ENTRIES})
         INSERT INTO audit (at, tenant_id, actor, action) SELECT i, '{}', 'system', 'session.read' FROM n",
        auditor.staff().tenant()
    );
    harness.database.run(insert.leak()).await;
    let found = exported(&harness, &auditor, Filter::default()).await;
    assert_eq!(found.len(), ENTRIES + 1, "with the entry of the export");
    assert!(found.windows(2).all(|pair| pair[0].number > pair[1].number));
}

#[tokio::test]
async fn an_export_looks_at_ten_thousand_entries_at_a_time_and_holds_what_lies_beyond() {
    let harness = Harness::new().await;
    let auditor = Auditor::of(&harness.staff(Role::Auditor).await).unwrap();
    harness.create().await;
    let later = format!(
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {})
         INSERT INTO audit (at, tenant_id, actor, action) SELECT i, '{}', 'system', 'session.read' FROM n",
        LOOKED_AT,
        auditor.staff().tenant()
    );
    harness.database.run(later.leak()).await;
    let filter = Filter {
        action: Some(AuditAction::SessionCreate),
        ..Filter::default()
    };
    let parts = export(&harness.honnin, &auditor, filter, ExportFormat::Csv)
        .await
        .unwrap();
    let sizes: Vec<usize> = parts.map_ok(|part| part.len()).try_collect().await.unwrap();
    assert_eq!(sizes, [0, 1]);
}

/// Otherwise, whoever asks for many at once has every connection of the node look at the log, and nobody else is answered.
#[tokio::test]
async fn of_searches_that_look_at_each_entry_a_tenant_has_one_at_a_time() {
    let harness = Harness::new().await;
    let auditor = Auditor::of(&harness.staff(Role::Auditor).await).unwrap();
    let insert = format!(
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100000)
         INSERT INTO audit (at, tenant_id, actor, action) SELECT i, '{}', 'system', 'session.read' FROM n",
        auditor.staff().tenant()
    );
    harness.database.run(insert.leak()).await;
    let look_for = |action| {
        let filter = Filter {
            action: Some(action),
            ..Filter::default()
        };
        search(&harness.honnin, &auditor, filter, None, 1)
    };
    let (long, short) = (
        pin!(look_for(AuditAction::MasterKeyRotate)),
        pin!(look_for(AuditAction::SessionRead)),
    );
    let first = select(long, short).await;
    assert!(matches!(first, Either::Left(_)), "the one that was asked for first");
}
