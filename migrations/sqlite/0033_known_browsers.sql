-- Browsers that a person has signed in with. Signing in with another one is told to them; knowing one is no factor.
CREATE TABLE known_browsers (
    user_id TEXT NOT NULL REFERENCES users (id),
    -- SHA-256 of the person's id and the cookie's value, so that the rows of two people do not tell that they share a browser.
    hash BLOB NOT NULL,
    -- The browser, as it named itself, and the address it came from, when it was used last.
    agent TEXT NOT NULL,
    address TEXT NOT NULL,
    first_used_at INTEGER NOT NULL,
    last_used_at INTEGER NOT NULL,
    PRIMARY KEY (user_id, hash)
) STRICT;
CREATE INDEX known_browsers_by_use ON known_browsers (last_used_at);
