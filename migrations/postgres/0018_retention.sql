-- Entries of the audit log leave when they are old enough. The chain begins after the last one that left.
ALTER TABLE audit_chain ADD COLUMN removed_position BIGINT NOT NULL DEFAULT 0;
ALTER TABLE audit_chain ADD COLUMN removed_hash BYTEA NOT NULL DEFAULT ''::bytea;

-- Links and cookies leave with the personal data of their session.
DELETE FROM links WHERE session_id IN (SELECT id FROM sessions WHERE purged_at IS NOT NULL);
DELETE FROM capture_cookies WHERE session_id IN (SELECT id FROM sessions WHERE purged_at IS NOT NULL);
