-- The last entry of the audit log when somebody last signed in with a browser: at the next sign-in with it, they are told of what followed, whoever
-- has signed in with other browsers since. NULL for browsers of before; the time of their last use tells then.
ALTER TABLE known_browsers ADD COLUMN last_entry BIGINT;
