-- The camera of the selfie while the server watches: the latest run of an attempt, how many were begun, and what was seen.
ALTER TABLE attempts ADD COLUMN live_id TEXT;
ALTER TABLE attempts ADD COLUMN live_runs BIGINT NOT NULL DEFAULT 0;
ALTER TABLE captures ADD COLUMN live TEXT;
