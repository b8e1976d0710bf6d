-- The networks from which an API key may be used, with a blank between them; empty means any that the tenant admits.
ALTER TABLE api_keys ADD COLUMN networks TEXT NOT NULL DEFAULT '';
-- The address from which it was used last.
ALTER TABLE api_keys ADD COLUMN last_used_from TEXT;
