-- A destroyed key stays in a dead row until the table is vacuumed. By default, that comes after a fifth of the rows have changed, which for a table
-- that is written once and read often may be never: here it comes after 50, however many there are.
ALTER TABLE data_keys SET (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 50);
