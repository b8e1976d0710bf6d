-- What is due of one kind, however much of another one is.
CREATE INDEX jobs_due_by_kind ON jobs (kind, run_at, id) WHERE finished_at IS NULL AND kind <> 'deliver';
DROP INDEX jobs_due;
