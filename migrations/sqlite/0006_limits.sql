-- How fast tenants create sessions, and answers kept for retries.
CREATE TABLE creation_rates (
    tenant_id TEXT PRIMARY KEY NOT NULL REFERENCES tenants (id),
    -- In microseconds: when the bucket would be full again.
    full_at INTEGER NOT NULL
) STRICT;

CREATE TABLE idempotency (
    tenant_id TEXT NOT NULL REFERENCES tenants (id),
    -- SHA-256 of the key.
    key_hash BLOB NOT NULL,
    -- SHA-256 of the request's body.
    body_hash BLOB NOT NULL,
    session_id TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    expires_at INTEGER NOT NULL,
    link_expires_at INTEGER NOT NULL,
    -- Sealed with the session's data key; NULL once the link is opened.
    link BLOB,
    PRIMARY KEY (tenant_id, key_hash)
) STRICT;
CREATE INDEX idempotency_by_age ON idempotency (created_at);
CREATE INDEX idempotency_of_session ON idempotency (session_id);
