-- Fingerprints of the frames of selfies, by which frames that are sent again in another session are recognised.
CREATE TABLE frame_prints (
    tenant_id TEXT NOT NULL,
    print INTEGER NOT NULL,
    session_id TEXT NOT NULL REFERENCES sessions (id),
    PRIMARY KEY (tenant_id, print, session_id)
) WITHOUT ROWID, STRICT;
CREATE INDEX frame_prints_by_session ON frame_prints (session_id);
