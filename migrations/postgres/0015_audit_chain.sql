-- The audit log as a hash chain. Entries are linked moments after they were written.
-- Its place in the chain, counted from 1.
ALTER TABLE audit ADD COLUMN position BIGINT;
-- SHA-256 of the entry and of the hash of the one before.
ALTER TABLE audit ADD COLUMN hash BYTEA;
CREATE UNIQUE INDEX audit_in_chain ON audit (position) WHERE position IS NOT NULL;
CREATE INDEX audit_not_in_chain ON audit (number) WHERE position IS NULL;

-- The last entry that is linked.
CREATE TABLE audit_chain (
    id BIGINT PRIMARY KEY CHECK (id = 1),
    position BIGINT NOT NULL,
    hash BYTEA NOT NULL
);
INSERT INTO audit_chain (id, position, hash) VALUES (1, 0, '');
