//! Saved filters belong to a person in a tenant, and have one query for each name.

use crate::fixtures::{World, keep, read, world, write};
use store::session::saved_filters::{self, SavedFilter};
use testkit::databases::{Backend, backends};

#[tokio::test]
async fn a_filter_is_saved_replaced_and_removed_by_its_name() {
    for Backend { name, db, .. } in backends().await {
        let World {
            tenant, other, user, ..
        } = world(&db).await;
        let put = async |of: &'static str, query: &'static str| {
            let filter = SavedFilter {
                name: of.to_owned(),
                query: query.to_owned(),
            };
            write!(db, tx => saved_filters::put(tx, &tenant.id, &user.id, &filter)).unwrap();
        };
        for (of, query) in [
            ("late", "status=created"),
            ("failed", "status=failed"),
            ("late", "status=expired"),
        ] {
            put(of, query).await;
        }
        let list = async |tenant| -> Vec<(String, String)> {
            let found = read!(db, tx => saved_filters::list(tx, tenant, &user.id));
            found.into_iter().map(|one| (one.name, one.query)).collect()
        };
        let pair = |name: &str, query: &str| (name.to_owned(), query.to_owned());
        assert_eq!(
            list(&tenant.id).await,
            [pair("failed", "status=failed"), pair("late", "status=expired")],
            "{name}"
        );
        assert!(list(&other.id).await.is_empty(), "{name}: in another tenant");
        for _ in 0..2 {
            write!(db, tx => saved_filters::remove(tx, &tenant.id, &user.id, "late")).unwrap();
        }
        assert_eq!(list(&tenant.id).await, [pair("failed", "status=failed")], "{name}");
    }
}

#[tokio::test]
async fn filters_are_listed_by_name_in_the_same_order_on_both_databases() {
    for Backend { name, db, .. } in backends().await {
        let World { tenant, user, .. } = world(&db).await;
        for of in ["late", "Ärger", "Failed", "ärger", "early", "a-z", "ab"] {
            let filter = keep(SavedFilter {
                name: of.to_owned(),
                query: "status=failed".to_owned(),
            });
            write!(db, tx => saved_filters::put(tx, &tenant.id, &user.id, filter)).unwrap();
        }
        let found = read!(db, tx => saved_filters::list(tx, &tenant.id, &user.id));
        let names: Vec<_> = found.into_iter().map(|one| one.name).collect();
        assert_eq!(
            names,
            ["a-z", "ab", "early", "Failed", "late", "Ärger", "ärger"],
            "{name}"
        );
    }
}
