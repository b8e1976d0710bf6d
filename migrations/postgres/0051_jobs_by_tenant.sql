-- no-transaction
-- Pictures and decisions are claimed tenant by tenant, so that a pile of one is not walked through to find another's.
CREATE INDEX CONCURRENTLY IF NOT EXISTS jobs_due_by_tenant
    ON jobs (kind, tenant_id, run_at, id) WHERE finished_at IS NULL AND kind IN ('analyse', 'decide');
