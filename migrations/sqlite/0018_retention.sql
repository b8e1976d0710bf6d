-- Entries of the audit log leave when they are old enough. The chain begins after the last one that left.
ALTER TABLE audit_chain ADD COLUMN removed_position INTEGER NOT NULL DEFAULT 0;
ALTER TABLE audit_chain ADD COLUMN removed_hash BLOB NOT NULL DEFAULT x'';

-- Links and cookies leave with the personal data of their session.
DELETE FROM links WHERE session_id IN (SELECT id FROM sessions WHERE purged_at IS NOT NULL);
DELETE FROM capture_cookies WHERE session_id IN (SELECT id FROM sessions WHERE purged_at IS NOT NULL);
