-- What people of the console sign in with besides their password, or instead of it.

CREATE TABLE authenticators (
    user_id TEXT PRIMARY KEY REFERENCES users (id),
    -- Sealed with the master key.
    secret BYTEA NOT NULL,
    created_at BIGINT NOT NULL,
    -- NULL until the first code from it was entered: it does not count before.
    confirmed_at BIGINT,
    -- The time step of the last code used: a code is good once.
    last_step BIGINT NOT NULL
);

CREATE TABLE recovery_codes (
    user_id TEXT NOT NULL REFERENCES users (id),
    -- SHA-256. A row leaves when its code is used.
    hash BYTEA NOT NULL,
    PRIMARY KEY (user_id, hash)
);

CREATE TABLE passkeys (
    -- The credential id.
    id BYTEA PRIMARY KEY,
    user_id TEXT NOT NULL REFERENCES users (id),
    -- By which its owner tells it from others.
    name TEXT NOT NULL,
    -- A COSE key.
    public_key BYTEA NOT NULL,
    counter BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    last_used_at BIGINT
);
CREATE INDEX passkeys_of_user ON passkeys (user_id, created_at);

-- Each is answered once.
CREATE TABLE passkey_challenges (
    -- SHA-256.
    hash BYTEA PRIMARY KEY,
    -- Whose key must answer; NULL for anybody's.
    user_id TEXT REFERENCES users (id),
    expires_at BIGINT NOT NULL
);
CREATE INDEX passkey_challenges_by_end ON passkey_challenges (expires_at);

-- When and from where a person signed in last, with the number of the last entry of the audit log then, and the time before: what
-- has happened since then is shown to them.
ALTER TABLE users ADD COLUMN visited_at BIGINT;
ALTER TABLE users ADD COLUMN visited_from TEXT;
ALTER TABLE users ADD COLUMN visited_entry BIGINT;
ALTER TABLE users ADD COLUMN visited_before_at BIGINT;
ALTER TABLE users ADD COLUMN visited_before_from TEXT;
ALTER TABLE users ADD COLUMN visited_before_entry BIGINT;
