//! Frames of selfies: recognised in other sessions of the tenant only, and gone when removed.

use crate::fixtures::{World, keep, read, session, world, write};
use store::{
    StoreError,
    capture::frame_prints,
    session::sessions::{self, SessionRow},
};
use testkit::databases::{Backend, backends};

#[tokio::test]
async fn frames_are_recognised_in_other_sessions_of_the_tenant_until_they_are_removed() {
    for Backend { name, db, .. } in backends().await {
        let World {
            tenant,
            other,
            session: first,
            ..
        } = world(&db).await;
        let second = keep(session(tenant, 13));
        write!(db, tx => sessions::insert(tx, second)).unwrap();
        let (mine, yours) = (&first.session.id, &second.session.id);
        for _ in 0..2 {
            write!(db, tx => frame_prints::add(tx, &tenant.id, mine, &[5, -7, i64::MIN])).unwrap();
        }
        let asked = &[5, -7, i64::MIN, 9];
        let count = async |tenant, session| read!(db, tx => frame_prints::count_elsewhere(tx, tenant, session, asked));
        assert_eq!(count(&tenant.id, yours).await, 3, "{name}");
        assert_eq!(count(&tenant.id, mine).await, 0, "{name}: its own");
        assert_eq!(count(&other.id, yours).await, 0, "{name}: of another tenant");
        let known = async |session, print| read!(db, tx => frame_prints::is_known(tx, &tenant.id, session, print));
        assert!(known(mine, -7).await && !known(mine, 9).await, "{name}");
        assert!(!known(yours, -7).await, "{name}: another session's");
        write!(db, tx => frame_prints::remove(tx, mine)).unwrap();
        assert!(!known(mine, -7).await, "{name}: removed");
        assert_eq!(count(&tenant.id, yours).await, 0, "{name}: removed");
    }
}

#[tokio::test]
async fn of_two_sessions_that_send_the_same_frame_at_the_same_moment_the_second_one_sees_it() {
    for backend in backends().await {
        let Backend { name, db, .. } = &backend;
        let World {
            tenant, session: first, ..
        } = world(db).await;
        let second = keep(session(tenant, 13));
        write!(db, tx => sessions::insert(tx, second)).unwrap();
        let send = async |mine: &'static SessionRow, prints: &'static [i64]| {
            let unit = db.write(async move |tx| -> Result<u32, StoreError> {
                frame_prints::take_turn(tx, prints).await?;
                let found = frame_prints::count_elsewhere(tx, &tenant.id, &mine.session.id, prints).await?;
                frame_prints::add(tx, &tenant.id, &mine.session.id, prints).await?;
                Ok(found)
            });
            unit.await.unwrap()
        };
        if *name == "sqlite" {
            let (one, other) = tokio::join!(send(first, &[5, 6]), send(second, &[6, 5]));
            assert_eq!([one.min(other), one.max(other)], [0, 2], "{name}");
            continue;
        }
        let sent = format!(
            "SELECT pg_advisory_xact_lock(6);
             INSERT INTO frame_prints (tenant_id, print, session_id) VALUES ('{}', 6, '{}')",
            tenant.id, first.session.id
        );
        assert_eq!(backend.beside(&sent, send(second, &[5, 6])).await, 1, "{name}");
    }
}
