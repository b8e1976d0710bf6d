-- How often all sessions of a person have been ended. A session says of which epoch it is: one that was stored only after they were ended,
-- by a sign-in that began before, is of an earlier one, and over.
ALTER TABLE users ADD COLUMN session_epoch BIGINT NOT NULL DEFAULT 0;
