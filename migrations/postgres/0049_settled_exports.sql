-- Where the export of the audit log begins anew on a new connection to a receiver that confirms nothing: after `settled`, which was exported some time
-- ago. `settling` takes its place once `settling_since` is as long ago. Without a value, both are where the export is.
ALTER TABLE audit_export ADD COLUMN settled BIGINT;
ALTER TABLE audit_export ADD COLUMN settling BIGINT;
ALTER TABLE audit_export ADD COLUMN settling_since BIGINT;
