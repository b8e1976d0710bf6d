-- A tenant's events, newest first: GET /v1/events.
CREATE INDEX events_of_tenant ON events (tenant_id, created_at, id);
