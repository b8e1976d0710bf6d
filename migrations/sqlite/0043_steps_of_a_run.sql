-- How many steps a run of the selfie camera has behind it, since when, and how many turns nobody saw begin: a token from before them must not continue it, for whoever has
-- followed the run knows what it requests.
ALTER TABLE attempts ADD COLUMN step_run TEXT;
ALTER TABLE attempts ADD COLUMN step INTEGER;
ALTER TABLE attempts ADD COLUMN step_since INTEGER;
ALTER TABLE attempts ADD COLUMN step_unseen_turns INTEGER;
