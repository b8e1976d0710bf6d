//! Encryption at rest: data can be decrypted only in its place and with its key.

mod master;

use domain::{
    ids::{SessionId, TenantId},
    secret::Personal,
};
use std::{collections::BTreeSet, time::Duration};
use store::{
    StoreError,
    vault::{AssociatedData, DataKeyId, SealedValue, SessionKey},
};
use testkit::databases::{backends, bytes_at, number_at, run_at, texts_at};
use tokio::time::timeout;

const PLAIN: &[u8] = b"Erika Mustermann";
/// What is encrypted where it does not matter what it is.
const VALUE: SealedValue<'static> = SealedValue::AttemptTyped;

fn tenant(n: u8) -> TenantId {
    TenantId::from_random([n; 16])
}

fn session(n: u8) -> SessionId {
    SessionId::from_random([n; 16])
}

fn opens(key: &SessionKey, tenant: &TenantId, session: &SessionId, value: SealedValue<'_>, sealed: &[u8]) -> bool {
    match key.open(&AssociatedData::new(tenant, session, value), sealed) {
        Ok(plain) => {
            assert_eq!(plain.expose(), PLAIN);
            true
        }
        Err(StoreError::Corrupt(_)) => false,
        Err(other) => panic!("{other}"),
    }
}

#[tokio::test]
async fn sealed_data_opens_with_its_key_and_in_its_place_only() {
    for backend in backends().await {
        let vault = backend.vault().await;
        let (key, other) = (vault.take().await.unwrap(), vault.take().await.unwrap());
        let (tenant_id, session_id) = (tenant(1), session(1));
        let associated_data = AssociatedData::new(&tenant_id, &session_id, VALUE);
        let sealed = key.seal(&associated_data, PLAIN).unwrap();
        assert!(!sealed.windows(5).any(|window| window == &PLAIN[..5]));
        assert!(opens(&key, &tenant(1), &session(1), VALUE, &sealed));
        assert!(!opens(&key, &tenant(2), &session(1), VALUE, &sealed), "another tenant");
        assert!(!opens(&key, &tenant(1), &session(2), VALUE, &sealed), "another session");
        assert!(
            !opens(&key, &tenant(1), &session(1), SealedValue::Ocr, &sealed),
            "another column"
        );
        assert!(!opens(&other, &tenant(1), &session(1), VALUE, &sealed), "another key");
    }
}

#[tokio::test]
async fn a_fingerprint_knows_the_same_parts_again_under_the_same_key_only() {
    let backend = testkit::databases::sqlite().await;
    let vault = backend.vault().await;
    let (key, other) = (vault.take().await.unwrap(), vault.take().await.unwrap());
    let print = key.fingerprint(&["passport", "UTO", "L898902C3"]);
    let again = vault.open(key.id()).await.unwrap();
    assert_eq!(print, again.fingerprint(&["passport", "UTO", "L898902C3"]));
    let prints = key.fingerprints();
    for parts in [&["passport", "UTO", "L898902C3"][..], &["a"], &[]] {
        assert_eq!(prints.of(parts), key.fingerprint(parts), "one of several");
    }
    assert_ne!(
        print,
        key.fingerprint(&["passport", "UTOL", "898902C3"]),
        "parts keep their bounds"
    );
    assert_ne!(print, other.fingerprint(&["passport", "UTO", "L898902C3"]));
}

#[tokio::test]
async fn many_keys_are_opened_at_once_and_destroyed_ones_left_out() {
    for backend in backends().await {
        let vault = backend.vault().await;
        let mut ids = Vec::new();
        for _ in 0..3 {
            ids.push(vault.take().await.unwrap().id().clone());
        }
        vault.destroy(&ids[1]).await.unwrap();
        let opened = vault.open_many(&ids).await.unwrap();
        assert_eq!(opened.without_version, 0, "{}", backend.name);
        let opened = opened.keys;
        let found: BTreeSet<_> = opened.keys().cloned().collect();
        assert_eq!(
            found,
            BTreeSet::from([ids[0].clone(), ids[2].clone()]),
            "{}",
            backend.name
        );
        let (tenant, session) = (tenant(1), session(1));
        let associated_data = AssociatedData::new(&tenant, &session, VALUE);
        let sealed = vault
            .open(&ids[2])
            .await
            .unwrap()
            .seal(&associated_data, PLAIN)
            .unwrap();
        assert_eq!(opened[&ids[2]].open(&associated_data, &sealed).unwrap().expose(), PLAIN);
        assert!(vault.open_many(&[]).await.unwrap().keys.is_empty());
        // Damaged at the end, and where the version of the master key is written.
        for (damage, without_version) in [
            ("UPDATE data_keys SET sealed = substr(sealed, 1, length(sealed) - 1)", 0),
            ("UPDATE data_keys SET sealed = substr(sealed, 2)", 2),
        ] {
            run_at(&backend.keys_url, damage).await;
            let damaged = vault.open_many(&ids).await.unwrap();
            let found = (damaged.keys.len(), damaged.without_version);
            assert_eq!(found, (0, without_version), "{}, {damage}", backend.name);
        }
    }
}

#[tokio::test]
async fn keys_that_nothing_names_are_found_without_those_made_in_advance_and_destroyed_together() {
    for backend in backends().await {
        let vault = backend.vault().await;
        let mut taken = Vec::new();
        // More than are listed at once.
        for _ in 0..600 {
            taken.push(vault.take().await.unwrap().id().clone());
        }
        let named: BTreeSet<_> = taken.drain(..3).collect();
        let mut unnamed = vault.list_unnamed(&named).await.unwrap();
        unnamed.sort();
        taken.sort();
        assert_eq!(unnamed, taken, "{}", backend.name);
        // It is no longer in memory either.
        vault.open(&taken[0]).await.unwrap();
        assert!(vault.destroy_many(&unnamed).await.unwrap(), "{}", backend.name);
        let opened = vault.open(&taken[0]).await;
        assert!(matches!(opened, Err(StoreError::Erased)), "{}", backend.name);
        assert_eq!(vault.list_destroyed(&taken).await.unwrap().len(), taken.len());
        for key in &named {
            vault.open(key).await.unwrap();
        }
        assert!(vault.list_unnamed(&named).await.unwrap().is_empty(), "{}", backend.name);
        let next = vault.take().await.unwrap();
        vault.open(next.id()).await.unwrap();
    }
}

#[tokio::test]
async fn every_changed_bit_and_every_missing_byte_is_noticed() {
    let backend = testkit::databases::sqlite().await;
    let key = backend.vault().await.take().await.unwrap();
    let (tenant_id, session_id) = (tenant(1), session(1));
    let associated_data = AssociatedData::new(&tenant_id, &session_id, VALUE);
    let sealed = key.seal(&associated_data, PLAIN).unwrap();
    for bit in 0..sealed.len() * 8 {
        let mut changed = sealed.clone();
        changed[bit / 8] ^= 1 << (bit % 8);
        assert!(!opens(&key, &tenant_id, &session_id, VALUE, &changed), "bit {bit}");
    }
    for length in 0..sealed.len() {
        assert!(
            !opens(&key, &tenant_id, &session_id, VALUE, &sealed[..length]),
            "{length} bytes"
        );
    }
}

#[tokio::test]
async fn equal_texts_are_sealed_differently_and_read_back() {
    let backend = testkit::databases::sqlite().await;
    let key = backend.vault().await.take().await.unwrap();
    let (tenant_id, session_id) = (tenant(1), session(1));
    let associated_data = AssociatedData::new(&tenant_id, &session_id, VALUE);
    let text = Personal::new("山田太郎".to_owned());
    let (one, other) = (
        key.seal_text(&associated_data, &text).unwrap(),
        key.seal_text(&associated_data, &text).unwrap(),
    );
    assert_ne!(one, other);
    for sealed in [one, other] {
        assert_eq!(
            key.open_text(&associated_data, &sealed).unwrap().expose(),
            text.expose()
        );
    }
}

#[tokio::test]
async fn a_key_survives_a_restart() {
    for backend in backends().await {
        let (tenant_id, session_id) = (tenant(1), session(1));
        let associated_data = AssociatedData::new(&tenant_id, &session_id, VALUE);
        let first = backend.vault().await;
        let key = first.take().await.unwrap();
        let sealed = key.seal(&associated_data, PLAIN).unwrap();
        drop(first);
        let again = backend.vault().await.open(key.id()).await.unwrap();
        assert!(
            opens(&again, &tenant_id, &session_id, VALUE, &sealed),
            "{}",
            backend.name
        );
    }
}

#[tokio::test]
async fn a_destroyed_key_is_gone_here_and_in_other_processes() {
    for backend in backends().await {
        let (vault, other) = (backend.vault().await, backend.vault().await);
        let (key, kept) = (vault.take().await.unwrap(), vault.take().await.unwrap());
        vault.open(key.id()).await.unwrap();
        vault.destroy(key.id()).await.unwrap();
        vault.destroy(key.id()).await.unwrap();
        for vault in [vault, other, backend.vault().await] {
            assert!(
                matches!(vault.open(key.id()).await, Err(StoreError::Erased)),
                "{}",
                backend.name
            );
            vault.open(kept.id()).await.unwrap();
        }
    }
}

/// Planted fault that this test detects: without the checkpoint in `destroy`, the encrypted key stays in the log.
#[tokio::test]
async fn a_destroyed_key_leaves_no_byte_on_the_disk() {
    let backend = testkit::databases::sqlite().await;
    let vault = backend.vault().await;
    let key = vault.take().await.unwrap();
    let row = bytes_at(&backend.keys_url, "SELECT sealed FROM data_keys").await;
    let on_disk = |needle: &[u8]| {
        std::fs::read_dir(backend.folder()).unwrap().any(|file| {
            let bytes = std::fs::read(file.unwrap().path()).unwrap();
            bytes.windows(needle.len()).any(|window| window == needle)
        })
    };
    assert!(row.iter().all(|sealed| on_disk(sealed)));
    vault.destroy(key.id()).await.unwrap();
    assert!(!on_disk(key.id().as_str().as_bytes()));
    let left = row.iter().filter(|sealed| on_disk(sealed)).count();
    assert_eq!(left, row.len() - 1);
}

#[tokio::test]
async fn on_postgresql_destroyed_keys_are_vacuumed_soon_however_many_keys_there_are() {
    let all = backends().await;
    let Some(backend) = all.iter().find(|backend| backend.name == "postgres") else {
        return;
    };
    let options = "SELECT unnest(reloptions) FROM pg_class WHERE oid = 'data_keys'::regclass ORDER BY 1";
    assert_eq!(
        texts_at(&backend.keys_url, options).await,
        ["autovacuum_vacuum_scale_factor=0", "autovacuum_vacuum_threshold=50"]
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn no_key_is_given_out_twice_and_each_is_durable_before_it_is() {
    for backend in backends().await {
        let vault = backend.vault().await;
        let takers: Vec<_> = (0..200)
            .map(|_| {
                let vault = vault.clone();
                tokio::spawn(async move { vault.take().await.unwrap().id().clone() })
            })
            .collect();
        let mut ids = BTreeSet::new();
        for taker in takers {
            assert!(ids.insert(taker.await.unwrap()), "{}", backend.name);
        }
        let reader = backend.vault().await;
        for id in &ids {
            reader.open(id).await.unwrap();
        }
    }
}

/// Planted fault that this test detects: keys that are kept, or dropped, when many are given back.
#[tokio::test]
async fn keys_that_are_given_back_are_given_out_again_and_too_many_are_removed() {
    for backend in backends().await {
        let vault = backend.vault().await;
        let stored = async || number_at(&backend.keys_url, "SELECT COUNT(*) FROM data_keys").await;
        for _ in 0..200 {
            let key = vault.take().await.unwrap();
            vault.give_back(key);
        }
        assert_eq!(stored().await, 64, "{}", backend.name);
        let mut taken = Vec::new();
        for _ in 0..200 {
            taken.push(vault.take().await.unwrap());
        }
        let used = taken.split_off(190);
        for key in taken {
            vault.give_back(key);
        }
        // Removed beside the one that takes the next key.
        let next = vault.take().await.unwrap();
        let removed = async { while stored().await > 64 + 11 {} };
        timeout(Duration::from_secs(30), removed).await.expect("too many keys");
        for key in used.iter().chain([&next]) {
            vault.open(key.id()).await.unwrap();
        }
        for _ in 0..96 {
            let key = vault.take().await.unwrap();
            assert!(!used.iter().any(|other| other.id() == key.id()), "{}", backend.name);
            vault.open(key.id()).await.unwrap();
        }
    }
}

#[tokio::test]
async fn closing_the_vault_leaves_only_the_keys_that_were_taken() {
    for backend in backends().await {
        let vault = backend.vault().await;
        let key = vault.take().await.unwrap();
        vault.close().await.unwrap();
        assert_eq!(
            number_at(&backend.keys_url, "SELECT COUNT(*) FROM data_keys").await,
            1,
            "{}",
            backend.name
        );
        backend.vault().await.open(key.id()).await.unwrap();
    }
}

#[tokio::test]
async fn a_data_key_does_not_open_under_another_id() {
    for backend in backends().await {
        let vault = backend.vault().await;
        let key = vault.take().await.unwrap();
        let moved = DataKeyId::parse(&format!("dk_{}", "0".repeat(32))).unwrap();
        run_at(
            &backend.keys_url,
            "INSERT INTO data_keys (id, master_version, sealed)
             SELECT 'dk_00000000000000000000000000000000', 1, sealed FROM data_keys LIMIT 1",
        )
        .await;
        assert!(
            matches!(vault.open(&moved).await, Err(StoreError::Corrupt(_))),
            "{}",
            backend.name
        );
        vault.open(key.id()).await.unwrap();
    }
}

#[tokio::test]
async fn a_secret_opens_for_its_tenant_and_name_only() {
    let backend = testkit::databases::sqlite().await;
    let vault = backend.vault().await;
    let sealed = vault.seal_secret(tenant(1).as_str(), "whk_1", PLAIN).await.unwrap();
    assert_eq!(
        vault
            .open_secret(tenant(1).as_str(), "whk_1", &sealed)
            .unwrap()
            .expose(),
        PLAIN
    );
    for (tenant, name) in [(tenant(2), "whk_1"), (tenant(1), "whk_2")] {
        assert!(matches!(
            vault.open_secret(tenant.as_str(), name, &sealed),
            Err(StoreError::Corrupt(_))
        ));
    }
}

#[tokio::test]
async fn nothing_prints_a_key() {
    let backend = testkit::databases::sqlite().await;
    let vault = backend.vault().await;
    let key = vault.take().await.unwrap();
    assert_eq!(format!("{key:?}"), format!("SessionKey({})", key.id()));
    assert_eq!(format!("{vault:?}"), "Vault");
}
