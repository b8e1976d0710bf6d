-- Deliveries are claimed tenant by tenant, so that a pile for one receiver is not walked through to find another's.
-- Whose delivery it is; empty for every other kind of work.
ALTER TABLE jobs ADD COLUMN tenant_id TEXT NOT NULL DEFAULT '';
UPDATE jobs SET tenant_id = COALESCE((SELECT deliveries.tenant_id FROM deliveries WHERE event_id = jobs.subject), '')
WHERE kind = 'deliver' AND finished_at IS NULL;

DROP INDEX jobs_due;
CREATE INDEX jobs_due ON jobs (run_at, id) WHERE finished_at IS NULL AND kind <> 'deliver';
CREATE INDEX jobs_due_deliveries ON jobs (tenant_id, run_at, id) WHERE finished_at IS NULL AND kind = 'deliver';
