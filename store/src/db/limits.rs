//! The time-outs that PostgreSQL applies to a connection, requested by the connection itself or set for its role.

use sqlx::PgConnection;

/// Older servers do not have all of them.
const LIFT: &str = "SELECT set_config(name, '0', $1) FROM pg_settings WHERE name IN
    ('statement_timeout', 'lock_timeout', 'idle_in_transaction_session_timeout', 'transaction_timeout')";

/// What is without limits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Scope {
    /// The connection, which nobody uses afterwards.
    Session,
    /// The transaction that it is in. What a pool in front of the server lends to the next client has its limits.
    Transaction,
}

/// Lets statements take as long as they need, as `pg_dump` does.
pub(crate) async fn lift_limits(connection: &mut PgConnection, scope: Scope) -> Result<(), sqlx::Error> {
    let lifted = sqlx::query(LIFT).bind(scope == Scope::Transaction).execute(connection);
    lifted.await.map(drop)
}
