-- How fast tenants create sessions, and answers kept for retries.
CREATE TABLE creation_rates (
    tenant_id TEXT PRIMARY KEY REFERENCES tenants (id),
    -- In microseconds: when the bucket would be full again.
    full_at BIGINT NOT NULL
);

CREATE TABLE idempotency (
    tenant_id TEXT NOT NULL REFERENCES tenants (id),
    -- SHA-256 of the key.
    key_hash BYTEA NOT NULL,
    -- SHA-256 of the request's body.
    body_hash BYTEA NOT NULL,
    session_id TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL,
    link_expires_at BIGINT NOT NULL,
    -- Sealed with the session's data key; NULL once the link is opened.
    link BYTEA,
    PRIMARY KEY (tenant_id, key_hash)
);
CREATE INDEX idempotency_by_age ON idempotency (created_at);
CREATE INDEX idempotency_of_session ON idempotency (session_id);
