-- When a successor was issued. From then on, expires_at is the end of the overlap and not of the key's own lifetime.
ALTER TABLE api_keys ADD COLUMN replaced_at INTEGER;
