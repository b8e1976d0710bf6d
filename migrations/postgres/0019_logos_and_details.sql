-- The tenant's logo on the capture pages: a small PNG that the server has drawn anew from what was uploaded.
CREATE TABLE logos (
    tenant_id TEXT PRIMARY KEY REFERENCES tenants (id),
    png BYTEA NOT NULL,
    -- SHA-256 of the PNG in hex, which names it in its address.
    hash TEXT NOT NULL,
    -- In CSS pixels.
    width BIGINT NOT NULL,
    height BIGINT NOT NULL
);
CREATE INDEX logos_by_hash ON logos (hash);

-- Whether the details were ever given. `typed` is emptied when the personal data is erased; this says nothing personal, and stays
-- for the statistics.
ALTER TABLE attempts ADD COLUMN details_given BOOLEAN NOT NULL DEFAULT FALSE;
UPDATE attempts SET details_given = TRUE WHERE typed IS NOT NULL OR submitted_at IS NOT NULL;
