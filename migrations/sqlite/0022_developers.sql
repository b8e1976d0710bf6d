-- The requests of customers' servers to /v1, for their developers: no bodies, no queries, no paths.
CREATE TABLE request_log (
    number INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL,
    tenant_id TEXT NOT NULL,
    key_id TEXT NOT NULL,
    at INTEGER NOT NULL,
    request_id TEXT NOT NULL,
    method TEXT NOT NULL,
    -- The template, such as /v1/verification-sessions/{id}.
    route TEXT NOT NULL,
    status INTEGER NOT NULL,
    -- The tag of an error response.
    error TEXT,
    duration_ms INTEGER NOT NULL,
    address TEXT NOT NULL
) STRICT;
CREATE INDEX request_log_of_tenant ON request_log (tenant_id, number);
CREATE INDEX request_log_by_age ON request_log (at);

-- Events of selected types that happened while the tenant had no receiver, until they are sent.
CREATE TABLE unsent_events (
    event_id TEXT PRIMARY KEY NOT NULL REFERENCES events (id) ON DELETE CASCADE,
    tenant_id TEXT NOT NULL,
    created_at INTEGER NOT NULL
) STRICT;
CREATE INDEX unsent_events_of_tenant ON unsent_events (tenant_id, created_at, event_id);

-- How far the audit log was exported to another system, and which process does it.
CREATE TABLE audit_export (
    id INTEGER PRIMARY KEY NOT NULL CHECK (id = 1),
    -- The last entry exported, by its place in the chain.
    position INTEGER NOT NULL,
    worker TEXT,
    until INTEGER NOT NULL
) STRICT;
INSERT INTO audit_export (id, position, worker, until) VALUES (1, 0, NULL, 0);
