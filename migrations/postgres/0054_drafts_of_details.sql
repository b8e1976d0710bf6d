-- Encrypted: details that were typed and not confirmed when their user turned to another document.
ALTER TABLE attempts ADD COLUMN draft BYTEA;
