-- People of the console, their signed-in browsers, the reviewers' work, and who did what.
CREATE TABLE users (
    id TEXT PRIMARY KEY,
    -- NULL for an operator who belongs to no tenant.
    tenant_id TEXT REFERENCES tenants (id),
    -- Lower case; what people sign in with.
    email TEXT NOT NULL UNIQUE,
    name TEXT NOT NULL,
    role TEXT CHECK (role IN ('admin', 'developer', 'reviewer', 'auditor')),
    operator BOOLEAN NOT NULL,
    -- PHC string of argon2id.
    password TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    disabled_at BIGINT,
    CHECK ((tenant_id IS NULL) = (role IS NULL)),
    CHECK (operator OR role IS NOT NULL)
);
CREATE INDEX users_of_tenant ON users (tenant_id, created_at);

CREATE TABLE console_sessions (
    -- SHA-256 of the cookie's value.
    hash BYTEA PRIMARY KEY,
    -- NULL before signing in.
    user_id TEXT REFERENCES users (id),
    data TEXT NOT NULL,
    expires_at BIGINT NOT NULL
);
CREATE INDEX console_sessions_of_user ON console_sessions (user_id);
CREATE INDEX console_sessions_by_end ON console_sessions (expires_at);

CREATE TABLE set_up_links (
    -- SHA-256 of the token.
    hash BYTEA PRIMARY KEY,
    created_at BIGINT NOT NULL,
    used_at BIGINT
);

CREATE TABLE sign_in_tries (
    -- SHA-256 of the account or address that tries.
    bucket BYTEA PRIMARY KEY,
    tries BIGINT NOT NULL,
    since BIGINT NOT NULL
);

CREATE TABLE review_holds (
    session_id TEXT PRIMARY KEY REFERENCES sessions (id),
    user_id TEXT NOT NULL REFERENCES users (id),
    held_until BIGINT NOT NULL
);

CREATE TABLE reviews (
    session_id TEXT NOT NULL REFERENCES sessions (id),
    attempt BIGINT NOT NULL,
    user_id TEXT NOT NULL REFERENCES users (id),
    ruling TEXT NOT NULL CHECK (ruling IN ('approved', 'rejected', 'asked_again')),
    reviewed_at BIGINT NOT NULL,
    PRIMARY KEY (session_id, attempt)
);

-- Ids and names of actions only: no personal data of an applicant.
CREATE TABLE audit (
    number BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    at BIGINT NOT NULL,
    tenant_id TEXT,
    -- An id of a user or an API key, or 'system'.
    actor TEXT NOT NULL,
    action TEXT NOT NULL,
    subject TEXT,
    detail TEXT,
    address TEXT
);
CREATE INDEX audit_of_tenant ON audit (tenant_id, number);
CREATE INDEX audit_of_subject ON audit (subject, number);
