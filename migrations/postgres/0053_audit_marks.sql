-- How old entries of the audit log are at least, whatever time they have themselves: those up to `position` were linked at `at`, by the clock of the sweep,
-- which does not sweep after a jump. A mark leaves with its entries.
CREATE TABLE audit_marks (
    position BIGINT PRIMARY KEY NOT NULL,
    at BIGINT NOT NULL
);
