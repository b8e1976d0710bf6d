-- Keyed hashes by which a session is found by its person's full name or date of birth, under the tenant's key. Removed with the
-- session's personal data.
CREATE TABLE blind_index (
    tenant_id TEXT NOT NULL REFERENCES tenants (id),
    term BLOB NOT NULL,
    session_id TEXT NOT NULL REFERENCES sessions (id),
    PRIMARY KEY (tenant_id, term, session_id)
) WITHOUT ROWID, STRICT;
CREATE INDEX blind_index_by_session ON blind_index (session_id);

-- Sessions from before, which the housekeeping worker indexes.
CREATE TABLE unindexed_sessions (
    session_id TEXT PRIMARY KEY NOT NULL REFERENCES sessions (id)
) STRICT;
INSERT INTO unindexed_sessions (session_id)
SELECT id FROM sessions WHERE purged_at IS NULL AND (known IS NOT NULL OR typed IS NOT NULL OR ocr IS NOT NULL);
