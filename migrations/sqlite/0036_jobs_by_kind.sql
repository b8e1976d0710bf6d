-- What is due of one kind, however much of another one is. The id of a row ends every entry of an index by itself.
CREATE INDEX jobs_due_by_kind ON jobs (kind, run_at) WHERE finished_at IS NULL AND kind <> 'deliver';
DROP INDEX jobs_due;
