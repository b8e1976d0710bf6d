-- What an end user does in one attempt of a session: the browser's cookie, the answers, the pictures, and what was decided.
CREATE TABLE capture_cookies (
    -- SHA-256 of the cookie's value.
    hash BYTEA PRIMARY KEY,
    session_id TEXT NOT NULL REFERENCES sessions (id),
    attempt BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    seen_at BIGINT NOT NULL,
    -- Replaced by a reissued link.
    ended_at BIGINT
);
CREATE INDEX capture_cookies_of_session ON capture_cookies (session_id);

CREATE TABLE attempts (
    session_id TEXT NOT NULL REFERENCES sessions (id),
    attempt BIGINT NOT NULL,
    -- Compared and set by each save, so that two tabs cannot overtake each other.
    version BIGINT NOT NULL,
    language TEXT,
    consent_version TEXT,
    consented_at BIGINT,
    document_type TEXT,
    -- The details as typed so far, sealed JSON.
    typed BYTEA,
    -- The movement asked for next; used up by the burst that answers it.
    challenge_id TEXT,
    challenge TEXT,
    submitted_at BIGINT,
    PRIMARY KEY (session_id, attempt),
    CHECK ((consent_version IS NULL) = (consented_at IS NULL)),
    CHECK ((challenge_id IS NULL) = (challenge IS NULL))
);

CREATE TABLE captures (
    id TEXT PRIMARY KEY,
    session_id TEXT NOT NULL REFERENCES sessions (id),
    attempt BIGINT NOT NULL,
    slot TEXT NOT NULL CHECK (slot IN ('document-front', 'document-back', 'selfie')),
    -- 1 for the first picture of a slot in an attempt.
    try BIGINT NOT NULL,
    -- What the user said the document is when it was taken.
    document_type TEXT,
    -- What the user was asked to do.
    challenge TEXT,
    -- JSON: for each frame its object's name, the SHA-256 of the uploaded bytes, and the milliseconds since the first frame.
    frames TEXT NOT NULL,
    -- JSON: reasons why it should be taken again.
    problems TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    -- The user goes on with it, or takes another.
    accepted_at BIGINT,
    discarded_at BIGINT,
    -- Sealed JSON; NULL until analysed, and for good where the analysis was given up.
    findings BYTEA,
    analysed_at BIGINT,
    UNIQUE (session_id, attempt, slot, try)
);

CREATE TABLE decisions (
    session_id TEXT NOT NULL REFERENCES sessions (id),
    attempt BIGINT NOT NULL,
    decided_at BIGINT NOT NULL,
    verdict TEXT NOT NULL CHECK (verdict IN ('approved', 'rejected', 'needs_review')),
    -- JSON: the thresholds it was decided by.
    policy TEXT NOT NULL,
    -- JSON: names and hashes of the models that took part.
    models TEXT NOT NULL,
    -- Sealed JSON: every number looked at, and which captures.
    explanation BYTEA,
    PRIMARY KEY (session_id, attempt)
);
