-- The attempt of the session in which an event happened: what the clock of one attempt got wrong is corrected for this one. NULL for test events, and
-- for what was recorded before this was noted.
ALTER TABLE events ADD COLUMN attempt INTEGER;
