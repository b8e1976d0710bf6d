-- The problems despite which a picture was used: those that its user was shown. NULL if it was used on a node of an earlier version, which
-- keeps them with all that is known to be wrong with the picture.
ALTER TABLE captures ADD COLUMN accepted_problems TEXT;
