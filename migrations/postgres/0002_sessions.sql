-- Tenants, their API keys, sessions and one-time links. Personal columns are sealed with the session's data key.
CREATE TABLE tenants (
    id TEXT PRIMARY KEY,
    name TEXT NOT NULL,
    -- JSON; NULL until an admin has saved settings once.
    settings TEXT,
    livemode BOOLEAN NOT NULL,
    created_at BIGINT NOT NULL,
    version BIGINT NOT NULL
);

CREATE TABLE api_keys (
    id TEXT PRIMARY KEY,
    tenant_id TEXT NOT NULL REFERENCES tenants (id),
    name TEXT NOT NULL,
    -- The first characters, by which people tell keys apart.
    prefix TEXT NOT NULL,
    -- SHA-256 of the whole key.
    hash BYTEA NOT NULL UNIQUE,
    created_at BIGINT NOT NULL,
    expires_at BIGINT,
    revoked_at BIGINT,
    last_used_at BIGINT
);
CREATE INDEX api_keys_of_tenant ON api_keys (tenant_id, created_at);

CREATE TABLE sessions (
    id TEXT PRIMARY KEY,
    tenant_id TEXT NOT NULL REFERENCES tenants (id),
    status TEXT NOT NULL
        CHECK (status IN ('created', 'collecting', 'deciding', 'reviewing', 'completed', 'expired', 'failed')),
    plan TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL,
    completed_at BIGINT,
    purged_at BIGINT,
    attempt BIGINT NOT NULL,
    version BIGINT NOT NULL,
    data_key TEXT NOT NULL,
    metadata TEXT,
    callback_url TEXT,
    state BYTEA,
    known BYTEA,
    typed BYTEA,
    document_type TEXT,
    ocr BYTEA,
    -- JSON without the reviewer's note, which is personal data and sealed in a column of its own.
    outcome TEXT,
    note BYTEA,
    failure_reason TEXT
);
CREATE INDEX sessions_of_tenant ON sessions (tenant_id, created_at, id);
CREATE INDEX sessions_by_status ON sessions (tenant_id, status, created_at, id);

CREATE TABLE links (
    -- SHA-256 of the token.
    hash BYTEA PRIMARY KEY,
    session_id TEXT NOT NULL REFERENCES sessions (id),
    created_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL,
    used_at BIGINT,
    -- Replaced by a reissued link.
    killed_at BIGINT
);
CREATE INDEX links_of_session ON links (session_id);
