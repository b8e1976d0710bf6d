//! The request log of developers.

use crate::fixtures::{World, at, keep, read, world, write};
use domain::{
    ids::{ApiKeyId, RequestId, TenantId},
    scope::Scopes,
};
use store::{
    request_log::{self, Entry, Filter, MAX_AT_ONCE, Operation},
    settings::api_keys::{self, ApiKeyRow},
};
use testkit::databases::{Backend, backends};

/// Every fifth one is of another operation.
const fn route(number: u16) -> &'static str {
    if number.is_multiple_of(5) {
        "/v1/events"
    } else {
        "/v1/verification-sessions/{id}"
    }
}

fn entry(tenant: &TenantId, number: u16) -> Entry {
    let mut bytes = [0; 16];
    bytes[..2].copy_from_slice(&number.to_be_bytes());
    Entry {
        tenant: tenant.clone(),
        key: ApiKeyId::from_random([(number % 2) as u8; 16]),
        at: at(i64::from(number)),
        request: RequestId::from_random(bytes),
        method: "GET".into(),
        route: route(number).into(),
        status: if number.is_multiple_of(3) { 404 } else { 200 },
        error: number.is_multiple_of(3).then(|| "SessionNotFound".into()),
        duration_ms: 7,
        address: "192.0.2.1".into(),
    }
}

fn key(tenant: &TenantId) -> ApiKeyRow {
    ApiKeyRow {
        id: ApiKeyId::from_random([1; 16]),
        tenant: tenant.clone(),
        name: "Server".into(),
        prefix: "hn_live_0000".into(),
        hash: vec![1; 32],
        scopes: Scopes::ALL,
        created_at: at(1),
        expires_at: None,
        revoked_at: None,
        replaced_at: None,
        last_used_at: None,
        last_used_from: None,
        networks: Vec::new(),
    }
}

#[tokio::test]
async fn requests_are_listed_newest_first_by_id_key_status_operation_and_page_with_the_name_of_their_key() {
    for Backend { name, db, .. } in backends().await {
        let World { tenant, other, .. } = world(&db).await;
        let entries: Vec<Entry> = (1..=6).map(|number| entry(&tenant.id, number)).collect();
        let (entries, foreign) = (keep(entries), keep([entry(&other.id, 9)]));
        let key = keep(key(&tenant.id));
        let stored = write!(db, tx => async {
            api_keys::insert(tx, key).await?;
            request_log::insert_all(tx, entries).await?;
            request_log::insert_all(tx, foreign).await?;
            request_log::insert_all(tx, &[]).await
        });
        stored.unwrap();
        let listed = |filter: Filter, before: Option<i64>, limit: u32| {
            let (db, filter) = (db.clone(), keep(filter));
            async move { read!(db, tx => request_log::list(tx, &tenant.id, filter, before, limit)) }
        };
        let all = listed(Filter::default(), None, 10).await;
        let found: Vec<&Entry> = all.iter().map(|logged| &logged.entry).collect();
        assert_eq!(found, entries.iter().rev().collect::<Vec<_>>(), "{name}");
        let names: Vec<_> = all.iter().map(|logged| logged.key_name.as_deref()).collect();
        assert_eq!(names[..2], [None, Some("Server")], "{name}");
        let first = listed(Filter::default(), None, 4).await;
        let second = listed(Filter::default(), first.last().map(|last| last.number), 4).await;
        assert_eq!([first, second].concat(), all, "{name}");
        let operation = |route: &str| Operation {
            method: "GET".into(),
            route: route.into(),
        };
        let called = read!(db, tx => request_log::operations(tx, &tenant.id));
        assert_eq!(called, [operation(route(5)), operation(route(1))], "{name}");
        let cases = [
            (
                Filter {
                    operation: Some(operation(route(5))),
                    ..Filter::default()
                },
                vec![4],
            ),
            (
                Filter {
                    operation: Some(Operation {
                        method: "POST".into(),
                        ..operation(route(5))
                    }),
                    ..Filter::default()
                },
                vec![],
            ),
            (
                Filter {
                    request: Some(entries[2].request.to_string()),
                    ..Filter::default()
                },
                vec![2],
            ),
            (
                Filter {
                    key: Some(key.id.clone()),
                    ..Filter::default()
                },
                vec![4, 2, 0],
            ),
            (
                Filter {
                    status: Some(400..=499),
                    ..Filter::default()
                },
                vec![5, 2],
            ),
            (
                Filter {
                    request: Some(foreign[0].request.to_string()),
                    ..Filter::default()
                },
                vec![],
            ),
        ];
        for (filter, expected) in cases {
            let found = listed(filter, None, 10).await;
            let found: Vec<&Entry> = found.iter().map(|logged| &logged.entry).collect();
            let expected: Vec<&Entry> = expected.iter().map(|at: &usize| &entries[*at]).collect();
            assert_eq!(found, expected, "{name}");
        }
    }
}

#[tokio::test]
async fn a_full_batch_is_written_at_once_and_old_entries_leave_by_count_and_by_age() {
    for Backend { name, db, .. } in backends().await {
        let World { tenant, other, .. } = world(&db).await;
        let batch: Vec<Entry> = (1..=MAX_AT_ONCE as u16)
            .map(|number| entry(&tenant.id, number))
            .collect();
        let (batch, foreign) = (keep(batch), keep([entry(&other.id, 1)]));
        let stored = write!(db, tx => async {
            request_log::insert_all(tx, batch).await?;
            request_log::insert_all(tx, foreign).await
        });
        stored.unwrap();
        let left = async |tenant: &'static TenantId| {
            read!(db, tx => request_log::list(tx, tenant, &Filter::default(), None, 1_000)).len()
        };
        assert_eq!(left(&tenant.id).await, MAX_AT_ONCE, "{name}");
        assert_eq!(
            write!(db, tx => request_log::keep_newest(tx, &tenant.id, 600, 1_000)).unwrap(),
            0,
            "{name}"
        );
        let newest_100 = async |limit| write!(db, tx => request_log::keep_newest(tx, &tenant.id, 100, limit)).unwrap();
        assert_eq!(
            [newest_100(300).await, newest_100(300).await, newest_100(300).await],
            [300, 100, 0],
            "{name}"
        );
        // The entries 401 to 500 are left.
        assert_eq!(
            write!(db, tx => request_log::remove_before(tx, at(421), 15)).unwrap(),
            15,
            "{name}"
        );
        assert_eq!(
            write!(db, tx => request_log::remove_before(tx, at(421), 15)).unwrap(),
            6,
            "{name}"
        );
        assert_eq!((left(&tenant.id).await, left(&other.id).await), (80, 0), "{name}");
        assert_eq!(
            write!(db, tx => request_log::keep_newest(tx, &tenant.id, 0, 1_000)).unwrap(),
            80,
            "{name}"
        );
    }
}
