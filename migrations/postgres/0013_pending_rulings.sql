-- Reviewers' decisions that can still be undone. A row leaves when its decision takes effect or is undone, and when the case leaves
-- the queue in another way.
CREATE TABLE pending_rulings (
    session_id TEXT PRIMARY KEY REFERENCES sessions (id),
    attempt BIGINT NOT NULL,
    user_id TEXT NOT NULL REFERENCES users (id),
    ruling TEXT NOT NULL CHECK (ruling IN ('approved', 'rejected')),
    -- JSON: reason codes.
    reasons TEXT NOT NULL,
    -- Sealed with the session's data key.
    note BYTEA,
    -- The reviewer's, for the audit log.
    address TEXT NOT NULL,
    made_at BIGINT NOT NULL,
    due_at BIGINT NOT NULL
);
CREATE INDEX pending_rulings_of_user ON pending_rulings (user_id);
