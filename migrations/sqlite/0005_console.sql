-- People of the console, their signed-in browsers, the reviewers' work, and who did what.
CREATE TABLE users (
    id TEXT PRIMARY KEY NOT NULL,
    -- NULL for an operator who belongs to no tenant.
    tenant_id TEXT REFERENCES tenants (id),
    -- Lower case; what people sign in with.
    email TEXT NOT NULL UNIQUE,
    name TEXT NOT NULL,
    role TEXT CHECK (role IN ('admin', 'developer', 'reviewer', 'auditor')),
    operator INTEGER NOT NULL CHECK (operator IN (0, 1)),
    -- PHC string of argon2id.
    password TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    disabled_at INTEGER,
    CHECK ((tenant_id IS NULL) = (role IS NULL)),
    CHECK (operator = 1 OR role IS NOT NULL)
) STRICT;
CREATE INDEX users_of_tenant ON users (tenant_id, created_at);

CREATE TABLE console_sessions (
    -- SHA-256 of the cookie's value.
    hash BLOB PRIMARY KEY NOT NULL,
    -- NULL before signing in.
    user_id TEXT REFERENCES users (id),
    data TEXT NOT NULL,
    expires_at INTEGER NOT NULL
) STRICT;
CREATE INDEX console_sessions_of_user ON console_sessions (user_id);
CREATE INDEX console_sessions_by_end ON console_sessions (expires_at);

CREATE TABLE set_up_links (
    -- SHA-256 of the token.
    hash BLOB PRIMARY KEY NOT NULL,
    created_at INTEGER NOT NULL,
    used_at INTEGER
) STRICT;

CREATE TABLE sign_in_tries (
    -- SHA-256 of the account or address that tries.
    bucket BLOB PRIMARY KEY NOT NULL,
    tries INTEGER NOT NULL,
    since INTEGER NOT NULL
) STRICT;

CREATE TABLE review_holds (
    session_id TEXT PRIMARY KEY NOT NULL REFERENCES sessions (id),
    user_id TEXT NOT NULL REFERENCES users (id),
    held_until INTEGER NOT NULL
) STRICT;

CREATE TABLE reviews (
    session_id TEXT NOT NULL REFERENCES sessions (id),
    attempt INTEGER NOT NULL,
    user_id TEXT NOT NULL REFERENCES users (id),
    ruling TEXT NOT NULL CHECK (ruling IN ('approved', 'rejected', 'asked_again')),
    reviewed_at INTEGER NOT NULL,
    PRIMARY KEY (session_id, attempt)
) STRICT;

-- Ids and names of actions only: no personal data of an applicant.
CREATE TABLE audit (
    number INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL,
    at INTEGER NOT NULL,
    tenant_id TEXT,
    -- An id of a user or an API key, or 'system'.
    actor TEXT NOT NULL,
    action TEXT NOT NULL,
    subject TEXT,
    detail TEXT,
    address TEXT
) STRICT;
CREATE INDEX audit_of_tenant ON audit (tenant_id, number);
CREATE INDEX audit_of_subject ON audit (subject, number);
