-- What knows an approved document or face again. A row goes with its session's personal data.
CREATE TABLE identities (
    session_id TEXT PRIMARY KEY REFERENCES sessions (id),
    tenant_id TEXT NOT NULL REFERENCES tenants (id),
    -- HMAC of the document's kind, issuing state and number under the tenant's key.
    document BYTEA,
    -- The face's descriptor, sealed with the session's data key; only of those who agreed to be searched for.
    face BYTEA,
    -- NULL while the session is not approved: then nobody is compared with it.
    approved_at BIGINT
);
CREATE INDEX identities_by_document ON identities (tenant_id, document)
    WHERE approved_at IS NOT NULL AND document IS NOT NULL;
CREATE INDEX identities_by_face ON identities (tenant_id, session_id)
    WHERE approved_at IS NOT NULL AND face IS NOT NULL;

-- The data key whose bytes make a tenant's HMACs; it lies, sealed, in the database of keys.
CREATE TABLE tenant_keys (
    tenant_id TEXT PRIMARY KEY REFERENCES tenants (id),
    data_key TEXT NOT NULL
);

-- Whether the user agreed to be searched for among the tenant's approved faces; NULL where that was not asked.
ALTER TABLE attempts ADD COLUMN face_search BOOLEAN;
