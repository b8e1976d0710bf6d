-- When cases were in the review queue, for the backlog by day. A row says nothing about the applicant, and leaves once no page counts its days.
CREATE TABLE queue_stays (
    session_id TEXT NOT NULL REFERENCES sessions (id),
    attempt BIGINT NOT NULL,
    tenant_id TEXT NOT NULL REFERENCES tenants (id),
    entered_at BIGINT NOT NULL,
    -- NULL while it waits.
    left_at BIGINT,
    PRIMARY KEY (session_id, attempt)
);
CREATE INDEX queue_stays_of_tenant ON queue_stays (tenant_id, left_at);
CREATE INDEX queue_stays_by_end ON queue_stays (left_at);

-- Those that wait now; when others waited is not known.
INSERT INTO queue_stays (session_id, attempt, tenant_id, entered_at)
SELECT id, attempt, tenant_id, COALESCE(waiting_since, created_at) FROM sessions WHERE status = 'reviewing';
