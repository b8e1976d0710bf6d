-- What a start looks for: leases and plans that a wrong clock made too long. The jobs that wait for the end of a session are neither, and far
-- more than all others.
CREATE INDEX jobs_held ON jobs (leased_until) WHERE leased_until IS NOT NULL AND finished_at IS NULL;
CREATE INDEX jobs_planned ON jobs (kind, run_at) WHERE finished_at IS NULL AND kind NOT IN ('expire', 'erase', 'retain');
