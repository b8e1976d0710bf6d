-- People who sign in with the installation's OpenID provider. What is linked is the provider's name for a person, which never
-- changes, and not their e-mail address.
CREATE TABLE provider_accounts (
    issuer TEXT NOT NULL,
    subject TEXT NOT NULL,
    user_id TEXT NOT NULL REFERENCES users (id),
    linked_at BIGINT NOT NULL,
    PRIMARY KEY (issuer, subject),
    UNIQUE (user_id, issuer)
);

-- Each response of the provider is good once.
CREATE TABLE used_provider_responses (
    -- SHA-256 of its state.
    hash BYTEA PRIMARY KEY,
    -- Afterwards the state is refused for its age.
    expires_at BIGINT NOT NULL
);
CREATE INDEX used_provider_responses_by_end ON used_provider_responses (expires_at);
