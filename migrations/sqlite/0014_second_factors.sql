-- What people of the console sign in with besides their password, or instead of it.

CREATE TABLE authenticators (
    user_id TEXT PRIMARY KEY NOT NULL REFERENCES users (id),
    -- Sealed with the master key.
    secret BLOB NOT NULL,
    created_at INTEGER NOT NULL,
    -- NULL until the first code from it was entered: it does not count before.
    confirmed_at INTEGER,
    -- The time step of the last code used: a code is good once.
    last_step INTEGER NOT NULL
) STRICT;

CREATE TABLE recovery_codes (
    user_id TEXT NOT NULL REFERENCES users (id),
    -- SHA-256. A row leaves when its code is used.
    hash BLOB NOT NULL,
    PRIMARY KEY (user_id, hash)
) STRICT;

CREATE TABLE passkeys (
    -- The credential id.
    id BLOB PRIMARY KEY NOT NULL,
    user_id TEXT NOT NULL REFERENCES users (id),
    -- By which its owner tells it from others.
    name TEXT NOT NULL,
    -- A COSE key.
    public_key BLOB NOT NULL,
    counter INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    last_used_at INTEGER
) STRICT;
CREATE INDEX passkeys_of_user ON passkeys (user_id, created_at);

-- Each is answered once.
CREATE TABLE passkey_challenges (
    -- SHA-256.
    hash BLOB PRIMARY KEY NOT NULL,
    -- Whose key must answer; NULL for anybody's.
    user_id TEXT REFERENCES users (id),
    expires_at INTEGER NOT NULL
) STRICT;
CREATE INDEX passkey_challenges_by_end ON passkey_challenges (expires_at);

-- When and from where a person signed in last, with the number of the last entry of the audit log then, and the time before: what
-- has happened since then is shown to them.
ALTER TABLE users ADD COLUMN visited_at INTEGER;
ALTER TABLE users ADD COLUMN visited_from TEXT;
ALTER TABLE users ADD COLUMN visited_entry INTEGER;
ALTER TABLE users ADD COLUMN visited_before_at INTEGER;
ALTER TABLE users ADD COLUMN visited_before_from TEXT;
ALTER TABLE users ADD COLUMN visited_before_entry INTEGER;
