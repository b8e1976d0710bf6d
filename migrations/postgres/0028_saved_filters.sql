-- Filters of the list of sessions that somebody has given a name, as the query of the list's address.
CREATE TABLE saved_filters (
    tenant_id TEXT NOT NULL REFERENCES tenants (id),
    user_id TEXT NOT NULL REFERENCES users (id),
    name TEXT NOT NULL,
    query TEXT NOT NULL,
    PRIMARY KEY (tenant_id, user_id, name)
);
