//! The table of encrypted data keys.

use super::DataKeyId;
use crate::{
    StoreError,
    db::{Tx, on, row},
};
use sqlx::QueryBuilder;

row! {
    /// One data key as stored.
    #[derive(Clone)]
    pub(super) struct SealedKey {
        pub(super) id: String,
        pub(super) master_version: i64,
        pub(super) sealed: Vec<u8>,
    }
}

/// Stores new keys in a single statement: a batch of many statements would delay everything else on the machine.
pub(super) async fn insert(tx: &mut Tx, keys: &[SealedKey]) -> Result<(), StoreError> {
    on!(tx, conn => {
        let mut statement = QueryBuilder::new("INSERT INTO data_keys (id, master_version, sealed) ");
        statement.push_values(keys, |mut row, key| {
            row.push_bind(&key.id).push_bind(key.master_version).push_bind(&key.sealed);
        });
        statement.build().execute(conn).await.map(drop)
    })
}

pub(super) async fn find(tx: &mut Tx, id: &DataKeyId) -> Result<Option<SealedKey>, StoreError> {
    on!(tx, conn => sqlx::query_as("SELECT id, master_version, sealed FROM data_keys WHERE id = $1")
        .bind(id.as_str()).fetch_optional(conn).await)
}

/// The existing ones of these keys, in a single statement.
pub(super) async fn find_many(tx: &mut Tx, ids: &[DataKeyId]) -> Result<Vec<SealedKey>, StoreError> {
    if ids.is_empty() {
        return Ok(Vec::new());
    }
    on!(tx, conn => {
        let mut statement = QueryBuilder::new("SELECT id, master_version, sealed FROM data_keys WHERE id IN (");
        let mut listed = statement.separated(", ");
        for id in ids {
            listed.push_bind(id.as_str());
        }
        statement.push(")");
        statement.build_query_as().fetch_all(conn).await
    })
}

/// Any one of the keys.
pub(super) async fn find_any(tx: &mut Tx) -> Result<Option<SealedKey>, StoreError> {
    on!(tx, conn => sqlx::query_as("SELECT id, master_version, sealed FROM data_keys LIMIT 1")
        .fetch_optional(conn).await)
}

pub(super) async fn delete(tx: &mut Tx, id: &DataKeyId) -> Result<(), StoreError> {
    on!(tx, conn => sqlx::query("DELETE FROM data_keys WHERE id = $1").bind(id.as_str()).execute(conn).await.map(drop))
}

/// Keys not encrypted with `version` of the master key.
pub(super) async fn list_sealed_by_others(tx: &mut Tx, version: i64, limit: i64) -> Result<Vec<SealedKey>, StoreError> {
    on!(tx, conn => sqlx::query_as(
        "SELECT id, master_version, sealed FROM data_keys WHERE master_version <> $1 ORDER BY id LIMIT $2")
        .bind(version).bind(limit).fetch_all(conn).await)
}

/// Replaces the encrypted form of a key that still exists: a key destroyed in the meantime must not come back.
pub(super) async fn replace(tx: &mut Tx, key: &SealedKey) -> Result<(), StoreError> {
    on!(tx, conn => sqlx::query("UPDATE data_keys SET master_version = $2, sealed = $3 WHERE id = $1")
        .bind(&key.id).bind(key.master_version).bind(&key.sealed)
        .execute(conn).await.map(drop))
}

/// How many keys each version of the master key encrypts.
pub(super) async fn count_by_version(tx: &mut Tx) -> Result<Vec<(i64, i64)>, StoreError> {
    on!(tx, conn => sqlx::query_as(
        "SELECT master_version, COUNT(*) FROM data_keys GROUP BY master_version ORDER BY master_version")
        .fetch_all(conn).await)
}
