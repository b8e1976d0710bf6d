//! The table of encrypted data keys.

use super::DataKeyId;
use crate::{
    StoreError,
    db::{Tx, on, row},
};
use sqlx::QueryBuilder;
use std::collections::BTreeMap;

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
pub(super) async fn list_by_ids(tx: &mut Tx, ids: &[DataKeyId]) -> Result<Vec<SealedKey>, StoreError> {
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

/// Keys that an older version of the master key than `version` encrypts. In the order of an index that has the versions first: what is newer
/// already, which may be all but a few, is not looked at. Versions only grow.
pub(super) async fn list_sealed_before(tx: &mut Tx, version: i64, limit: i64) -> Result<Vec<SealedKey>, StoreError> {
    on!(tx, conn => sqlx::query_as(
        "SELECT id, master_version, sealed FROM data_keys WHERE master_version < $1 ORDER BY master_version LIMIT $2")
        .bind(version).bind(limit).fetch_all(conn).await)
}

/// The ids of up to `limit` keys after `after`, in order.
pub(super) async fn list_ids(tx: &mut Tx, after: Option<&DataKeyId>, limit: i64) -> Result<Vec<DataKeyId>, StoreError> {
    let ids: Vec<String> = on!(tx, conn => sqlx::query_scalar(
        "SELECT id FROM data_keys WHERE id > $1 ORDER BY id LIMIT $2")
        .bind(after.map_or("", DataKeyId::as_str)).bind(limit).fetch_all(conn).await)?;
    ids.iter().map(|id| DataKeyId::stored(id)).collect()
}

/// Replaces the encrypted form of a key that still exists: a key destroyed in the meantime must not come back.
pub(super) async fn replace(tx: &mut Tx, key: &SealedKey) -> Result<(), StoreError> {
    on!(tx, conn => sqlx::query("UPDATE data_keys SET master_version = $2, sealed = $3 WHERE id = $1")
        .bind(&key.id).bind(key.master_version).bind(&key.sealed)
        .execute(conn).await.map(drop))
}

/// The newest version of the master key that encrypts a key; `None` if there is no key.
pub(super) async fn find_newest_version(tx: &mut Tx) -> Result<Option<u32>, StoreError> {
    let newest: Option<i64> = on!(tx, conn => sqlx::query_scalar("SELECT MAX(master_version) FROM data_keys")
        .fetch_one(conn).await)?;
    newest.map(version).transpose()
}

/// The versions of the master key that encrypt keys, oldest first: two steps in the index for each, however many keys those are.
pub(super) async fn list_versions(tx: &mut Tx) -> Result<Vec<u32>, StoreError> {
    let versions: Vec<i64> = on!(tx, conn => sqlx::query_scalar(
        "WITH RECURSIVE used (version) AS (
             SELECT MIN(master_version) FROM data_keys
             UNION ALL
             SELECT (SELECT MIN(master_version) FROM data_keys WHERE master_version > used.version)
             FROM used WHERE used.version IS NOT NULL)
         SELECT version FROM used WHERE version IS NOT NULL ORDER BY version")
        .fetch_all(conn).await)?;
    versions.into_iter().map(version).collect()
}

fn version(stored: i64) -> Result<u32, StoreError> {
    u32::try_from(stored).map_err(|_| StoreError::Corrupt("a version of the master key that cannot be"))
}

/// How many keys each version of the master key encrypts.
pub(super) async fn count_by_version(tx: &mut Tx) -> Result<BTreeMap<u32, i64>, StoreError> {
    let counted: Vec<(i64, i64)> = on!(tx, conn => sqlx::query_as(
        "SELECT master_version, COUNT(*) FROM data_keys GROUP BY master_version")
        .fetch_all(conn).await)?;
    counted
        .into_iter()
        .map(|(stored, keys)| Ok((version(stored)?, keys)))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::db::{Db, DbOptions, Schema};
    use sqlx::{AssertSqlSafe, Connection as _, SqliteConnection};
    use std::sync::{
        Arc,
        atomic::{AtomicU64, Ordering::Relaxed},
    };

    /// The steps that SQLite takes to find 20 keys to encrypt with version 2, among so many of each version.
    async fn steps([older, newest]: [u32; 2]) -> u64 {
        let folder = tempfile::tempdir().unwrap();
        let url = format!("sqlite://{}", folder.path().join("keys.db").display());
        let db = Db::open_schema(&url, DbOptions::default(), Schema::Keys).await;
        db.unwrap().close().await;
        let mut connection = SqliteConnection::connect(&url).await.unwrap();
        // Those of the newest version have the first ids.
        let fill = format!(
            "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {newest} + {older})
             INSERT INTO data_keys (id, master_version, sealed)
             SELECT printf('dk_%032x', i), CASE WHEN i <= {newest} THEN 2 ELSE 1 END, x'00' FROM n"
        );
        sqlx::raw_sql(AssertSqlSafe(fill))
            .execute(&mut connection)
            .await
            .unwrap();
        let taken = Arc::new(AtomicU64::new(0));
        let counter = Arc::clone(&taken);
        let count = move || {
            counter.fetch_add(1, Relaxed);
            true
        };
        connection.lock_handle().await.unwrap().set_progress_handler(1, count);
        let found = list_sealed_before(&mut Tx::on_connection(connection), 2, 20).await;
        let found = found.unwrap();
        assert_eq!(found.len(), older.min(20) as usize);
        assert!(found.iter().all(|key| key.master_version == 1));
        taken.load(Relaxed)
    }

    #[tokio::test]
    async fn keys_to_encrypt_anew_are_found_however_many_there_are() {
        for [few, many] in [[[1, 50], [1, 5_000]], [[50, 9], [5_000, 9]], [[50, 9], [50, 5_000]]] {
            let (among_few, among_many) = (steps(few).await, steps(many).await);
            assert!(
                among_few > 0 && among_many < among_few * 2,
                "{few:?}: {among_few} steps, {many:?}: {among_many}"
            );
        }
    }
}
