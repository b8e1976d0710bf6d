-- The audit log as a hash chain. Entries are linked moments after they were written.
-- Its place in the chain, counted from 1.
ALTER TABLE audit ADD COLUMN position INTEGER;
-- SHA-256 of the entry and of the hash of the one before.
ALTER TABLE audit ADD COLUMN hash BLOB;
CREATE UNIQUE INDEX audit_in_chain ON audit (position) WHERE position IS NOT NULL;
CREATE INDEX audit_not_in_chain ON audit (number) WHERE position IS NULL;

-- The last entry that is linked.
CREATE TABLE audit_chain (
    id INTEGER PRIMARY KEY NOT NULL CHECK (id = 1),
    position INTEGER NOT NULL,
    hash BLOB NOT NULL
) STRICT;
INSERT INTO audit_chain (id, position, hash) VALUES (1, 0, x'');
