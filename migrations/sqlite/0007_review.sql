-- Since when a case waits for a person, and what the reviewer wrote who asked the user again.
ALTER TABLE sessions ADD COLUMN waiting_since INTEGER;
UPDATE sessions SET waiting_since = created_at WHERE status = 'reviewing';
CREATE INDEX sessions_in_review ON sessions (tenant_id, waiting_since, id) WHERE status = 'reviewing';
-- Sealed with the session's data key.
ALTER TABLE reviews ADD COLUMN note BLOB;
