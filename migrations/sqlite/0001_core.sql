-- Background work is rows. `subject` is an id, never personal data. The kinds are an enum in store/src/jobs.rs and have no CHECK
-- here, because SQLite can only widen a CHECK by copying the table.
CREATE TABLE jobs (
    id INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL,
    kind TEXT NOT NULL,
    subject TEXT NOT NULL,
    dedup_key TEXT,
    run_at INTEGER NOT NULL,
    attempt INTEGER NOT NULL DEFAULT 0,
    leased_by TEXT,
    leased_until INTEGER,
    finished_at INTEGER,
    last_error TEXT,
    CHECK ((leased_by IS NULL) = (leased_until IS NULL)),
    CHECK (finished_at IS NULL OR leased_by IS NULL)
) STRICT;

CREATE INDEX jobs_due ON jobs (run_at, id) WHERE finished_at IS NULL;
CREATE INDEX jobs_finished ON jobs (finished_at) WHERE finished_at IS NOT NULL;
CREATE INDEX jobs_of_subject ON jobs (subject) WHERE finished_at IS NULL;
CREATE UNIQUE INDEX jobs_open_once ON jobs (kind, dedup_key) WHERE finished_at IS NULL AND dedup_key IS NOT NULL;
