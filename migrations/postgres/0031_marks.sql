-- What the whole installation has to know at a start, by the name of it: that a copy is being put back into it, or that webhooks are held.
-- The table may be there already: putting a copy back begins with it.
CREATE TABLE IF NOT EXISTS marks (
    name TEXT PRIMARY KEY NOT NULL
);
