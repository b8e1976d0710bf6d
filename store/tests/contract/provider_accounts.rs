//! Accounts at the OpenID provider: one for each person, and each of its responses is used once.

use crate::fixtures::{World, at, keep, read, world, write};
use store::{
    StoreError,
    people::provider_accounts::{self, ProviderAccount},
};
use testkit::databases::{Backend, backends};

#[tokio::test]
async fn a_person_is_linked_to_one_account_and_an_account_to_one_person() {
    for Backend { name, db, .. } in backends().await {
        let World { user, .. } = world(&db).await;
        let (id, subject) = (&user.id, "u-1");
        let row = ProviderAccount {
            issuer: "https://login.example".into(),
            subject: subject.into(),
            user: id.clone(),
            linked_at: at(1),
        };
        let (row, another) = (
            keep(row.clone()),
            keep(ProviderAccount {
                subject: "u-2".into(),
                ..row
            }),
        );
        let issuer = &*row.issuer;
        assert!(!read!(db, tx => provider_accounts::is_linked(tx, issuer, id)), "{name}");
        write!(db, tx => provider_accounts::insert(tx, row)).unwrap();
        for again in [row, another] {
            let refused = write!(db, tx => provider_accounts::insert(tx, again));
            assert!(matches!(refused, Err(StoreError::Duplicate)), "{name}: {refused:?}");
        }
        assert!(read!(db, tx => provider_accounts::is_linked(tx, issuer, id)), "{name}");
        let found = read!(db, tx => provider_accounts::find_user(tx, issuer, subject));
        assert_eq!(found.as_ref(), Some(id), "{name}");
        for (issuer, subject) in [(issuer, "u-2"), ("https://login.evil.example", subject)] {
            let found = read!(db, tx => provider_accounts::find_user(tx, issuer, subject));
            assert_eq!(found, None, "{name}: {issuer} {subject}");
        }
        for removed in [true, false] {
            let done = write!(db, tx => provider_accounts::remove_of(tx, id)).unwrap();
            assert_eq!(done, removed, "{name}");
        }
        write!(db, tx => provider_accounts::insert(tx, another)).unwrap();
    }
}

#[tokio::test]
async fn a_response_is_used_once_until_it_is_too_old_anyway() {
    for Backend { name, db, .. } in backends().await {
        for (hash, first) in [(&[1_u8], true), (&[2], true), (&[1], false)] {
            let used = write!(db, tx => provider_accounts::use_response(tx, hash, at(10))).unwrap();
            assert_eq!(used, first, "{name}: {hash:?}");
        }
        for (now, removed) in [(9, 0), (10, 1), (10, 1), (10, 0)] {
            let done = write!(db, tx => provider_accounts::remove_old_responses(tx, at(now), 1)).unwrap();
            assert_eq!(done, removed, "{name}: at {now}");
        }
    }
}
