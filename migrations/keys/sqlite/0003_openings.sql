-- Who has this SQLite database open. A process removes its row when it closes the database in order.
CREATE TABLE openings (
    id TEXT PRIMARY KEY NOT NULL,
    -- The file it was written into, so that a copy is known as one.
    file TEXT NOT NULL
) STRICT;
