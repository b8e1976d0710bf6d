-- Tenants, their API keys, sessions and one-time links. Personal columns are sealed with the session's data key.
CREATE TABLE tenants (
    id TEXT PRIMARY KEY NOT NULL,
    name TEXT NOT NULL,
    -- JSON; NULL until an admin has saved settings once.
    settings TEXT,
    livemode INTEGER NOT NULL CHECK (livemode IN (0, 1)),
    created_at INTEGER NOT NULL,
    version INTEGER NOT NULL
) STRICT;

CREATE TABLE api_keys (
    id TEXT PRIMARY KEY NOT NULL,
    tenant_id TEXT NOT NULL REFERENCES tenants (id),
    name TEXT NOT NULL,
    -- The first characters, by which people tell keys apart.
    prefix TEXT NOT NULL,
    -- SHA-256 of the whole key.
    hash BLOB NOT NULL UNIQUE,
    created_at INTEGER NOT NULL,
    expires_at INTEGER,
    revoked_at INTEGER,
    last_used_at INTEGER
) STRICT;
CREATE INDEX api_keys_of_tenant ON api_keys (tenant_id, created_at);

CREATE TABLE sessions (
    id TEXT PRIMARY KEY NOT NULL,
    tenant_id TEXT NOT NULL REFERENCES tenants (id),
    status TEXT NOT NULL
        CHECK (status IN ('created', 'collecting', 'deciding', 'reviewing', 'completed', 'expired', 'failed')),
    plan TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    expires_at INTEGER NOT NULL,
    completed_at INTEGER,
    purged_at INTEGER,
    attempt INTEGER NOT NULL,
    version INTEGER NOT NULL,
    data_key TEXT NOT NULL,
    metadata TEXT,
    callback_url TEXT,
    state BLOB,
    known BLOB,
    typed BLOB,
    document_type TEXT,
    ocr BLOB,
    -- JSON without the reviewer's note, which is personal data and sealed in a column of its own.
    outcome TEXT,
    note BLOB,
    failure_reason TEXT
) STRICT;
CREATE INDEX sessions_of_tenant ON sessions (tenant_id, created_at, id);
CREATE INDEX sessions_by_status ON sessions (tenant_id, status, created_at, id);

CREATE TABLE links (
    -- SHA-256 of the token.
    hash BLOB PRIMARY KEY NOT NULL,
    session_id TEXT NOT NULL REFERENCES sessions (id),
    created_at INTEGER NOT NULL,
    expires_at INTEGER NOT NULL,
    used_at INTEGER,
    -- Replaced by a reissued link.
    killed_at INTEGER
) STRICT;
CREATE INDEX links_of_session ON links (session_id);
