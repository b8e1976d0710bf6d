//! Tenants' logos.

use crate::fixtures::{World, keep, read, world, write};
use store::{
    StoreError,
    settings::logos::{self, LogoRow},
};
use testkit::databases::{Backend, backends};

#[tokio::test]
async fn a_tenant_has_one_logo_which_is_replaced_and_removed() {
    for Backend { name, db, .. } in backends().await {
        let World { tenant, other, .. } = world(&db).await;
        let logo = |hash: &str, width| {
            keep(LogoRow {
                hash: hash.to_owned(),
                width,
                height: 40,
            })
        };
        let (first, second) = (logo("aa", 100), logo("bb", 90));
        assert_eq!(read!(db, tx => logos::find(tx, &tenant.id)), None, "{name}");
        write!(db, tx => logos::save(tx, &tenant.id, first, b"first")).unwrap();
        write!(db, tx => logos::save(tx, &other.id, first, b"first")).unwrap();
        assert_eq!(
            read!(db, tx => logos::find(tx, &tenant.id)).as_ref(),
            Some(first),
            "{name}"
        );
        write!(db, tx => logos::save(tx, &tenant.id, second, b"second")).unwrap();
        assert_eq!(
            read!(db, tx => logos::find(tx, &tenant.id)).as_ref(),
            Some(second),
            "{name}"
        );
        for (hash, png) in [
            ("aa", Some(b"first".to_vec())),
            ("bb", Some(b"second".to_vec())),
            ("cc", None),
        ] {
            assert_eq!(read!(db, tx => logos::find_png(tx, hash)), png, "{name}: {hash}");
        }
        for removed in [true, false] {
            assert_eq!(
                write!(db, tx => logos::remove(tx, &tenant.id)).unwrap(),
                removed,
                "{name}"
            );
        }
        assert_eq!(read!(db, tx => logos::find(tx, &tenant.id)), None, "{name}");
        assert_eq!(
            read!(db, tx => logos::find(tx, &other.id)).as_ref(),
            Some(first),
            "{name}"
        );
    }
}

#[tokio::test]
async fn a_text_that_a_database_cannot_take_is_refused_and_not_taken_for_an_outage() {
    for Backend { name, db, .. } in backends().await {
        let found = db.read(async |tx| logos::find_png(tx, "\0").await).await;
        assert!(
            matches!(found, Ok(None) | Err(StoreError::Refused(_))),
            "{name}: {found:?}"
        );
    }
}
