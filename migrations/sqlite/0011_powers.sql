-- What API keys may be used for, and the links by which people come in without a password that somebody else knows.

-- Names of scopes with a blank between them. A key from before there were scopes may do what it could: everything.
ALTER TABLE api_keys ADD COLUMN scopes TEXT NOT NULL DEFAULT 'create read manage';

-- A row leaves when its link is used or revoked, and some time after it has expired.
CREATE TABLE invitations (
    id TEXT PRIMARY KEY NOT NULL,
    -- SHA-256 of the link's token.
    hash BLOB NOT NULL UNIQUE,
    -- NULL for an operator who belongs to no tenant.
    tenant_id TEXT REFERENCES tenants (id),
    role TEXT CHECK (role IN ('admin', 'developer', 'reviewer', 'auditor')),
    operator INTEGER NOT NULL CHECK (operator IN (0, 1)),
    -- Lower case.
    email TEXT NOT NULL,
    name TEXT NOT NULL,
    -- NULL for the command line.
    invited_by TEXT REFERENCES users (id),
    -- Good only while the tenant has no admin.
    first_admin INTEGER NOT NULL CHECK (first_admin IN (0, 1)),
    created_at INTEGER NOT NULL,
    expires_at INTEGER NOT NULL,
    CHECK ((tenant_id IS NULL) = (role IS NULL)),
    CHECK (operator = 1 OR role IS NOT NULL)
) STRICT;
CREATE INDEX invitations_of_tenant ON invitations (tenant_id, created_at);

CREATE TABLE password_resets (
    -- One link for each person: a new one takes the place of the one before.
    user_id TEXT PRIMARY KEY NOT NULL REFERENCES users (id),
    -- SHA-256 of the link's token.
    hash BLOB NOT NULL UNIQUE,
    -- NULL for the command line.
    issued_by TEXT REFERENCES users (id),
    expires_at INTEGER NOT NULL
) STRICT;
