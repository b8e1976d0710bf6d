-- One key per session, sealed by the master key. This table lives apart from the main database, so that a backup of the one
-- without the other reads nothing. Deliberately without a time and without the session's id: a row says nothing about anyone.
CREATE TABLE data_keys (
    id TEXT PRIMARY KEY NOT NULL,
    master_version BIGINT NOT NULL,
    sealed BYTEA NOT NULL
);

CREATE INDEX data_keys_by_master ON data_keys (master_version);
