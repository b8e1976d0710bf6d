-- When somebody requested that the session be erased: from then on nothing revives it, and its erasure is on its way.
ALTER TABLE sessions ADD COLUMN erasure_requested_at INTEGER;
