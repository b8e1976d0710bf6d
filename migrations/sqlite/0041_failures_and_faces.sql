-- How often in a row a job has failed. Its attempts also count the runs that only looked whether it is time.
ALTER TABLE jobs ADD COLUMN failures INTEGER NOT NULL DEFAULT 0;
-- The faces approved since a search began.
CREATE INDEX identities_by_approval ON identities (tenant_id, approved_at) WHERE face IS NOT NULL AND approved_at IS NOT NULL;
