-- Webhooks: events, one delivery for each event that has to be sent, every attempt, and the signing secrets.
CREATE TABLE events (
    id TEXT PRIMARY KEY NOT NULL,
    tenant_id TEXT NOT NULL REFERENCES tenants (id),
    -- NULL for a test event.
    session_id TEXT REFERENCES sessions (id),
    kind TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    -- JSON without the reviewer's note and without metadata; NULL for a test event.
    data TEXT,
    -- The reviewer's note of this decision, sealed with the session's data key. A later attempt's note does not change it.
    note BLOB,
    CHECK ((session_id IS NULL) = (data IS NULL))
) STRICT;
CREATE INDEX events_of_session ON events (session_id, created_at, id) WHERE session_id IS NOT NULL;

CREATE TABLE deliveries (
    event_id TEXT PRIMARY KEY NOT NULL REFERENCES events (id),
    -- Repeated from the event, so that lists need no join.
    tenant_id TEXT NOT NULL REFERENCES tenants (id),
    kind TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('pending', 'delivered', 'abandoned')),
    -- Attempts made in all, which numbers them.
    attempts INTEGER NOT NULL,
    -- The schedule begins anew when an event is sent again by hand: when it did, and the attempts made since.
    started_at INTEGER NOT NULL,
    step INTEGER NOT NULL,
    next_attempt_at INTEGER,
    settled_at INTEGER,
    CHECK ((state = 'pending') = (next_attempt_at IS NOT NULL)),
    CHECK ((state = 'pending') = (settled_at IS NULL))
) STRICT;
CREATE INDEX deliveries_of_tenant ON deliveries (tenant_id, created_at, event_id);
CREATE INDEX deliveries_by_state ON deliveries (tenant_id, state, created_at, event_id);

CREATE TABLE delivery_attempts (
    event_id TEXT NOT NULL REFERENCES deliveries (event_id),
    number INTEGER NOT NULL,
    tenant_id TEXT NOT NULL REFERENCES tenants (id),
    attempted_at INTEGER NOT NULL,
    duration_ms INTEGER NOT NULL,
    -- The answer's status, where there was an answer.
    status INTEGER,
    -- Why it failed; NULL means delivered.
    fault TEXT,
    PRIMARY KEY (event_id, number)
) STRICT;
CREATE INDEX attempts_that_delivered ON delivery_attempts (tenant_id, attempted_at) WHERE fault IS NULL;
CREATE INDEX attempts_that_failed ON delivery_attempts (tenant_id, attempted_at) WHERE fault IS NOT NULL;

CREATE TABLE webhook_secrets (
    id TEXT PRIMARY KEY NOT NULL,
    tenant_id TEXT NOT NULL REFERENCES tenants (id),
    -- Two secrets may be valid at once, during a rotation: the slot makes a third impossible.
    slot INTEGER NOT NULL CHECK (slot IN (1, 2)),
    -- Sealed by the master key; wiped when disabled.
    sealed BLOB,
    created_at INTEGER NOT NULL,
    disabled_at INTEGER,
    CHECK ((sealed IS NULL) = (disabled_at IS NOT NULL))
) STRICT;
CREATE UNIQUE INDEX webhook_secrets_valid ON webhook_secrets (tenant_id, slot) WHERE disabled_at IS NULL;
CREATE INDEX webhook_secrets_of_tenant ON webhook_secrets (tenant_id, created_at);
