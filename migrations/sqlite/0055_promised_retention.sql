-- For how long after the end of the verification the user was told that their data is kept, in milliseconds.
ALTER TABLE attempts ADD COLUMN consent_retention INTEGER;
