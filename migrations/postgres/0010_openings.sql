-- Who has this database open. Only SQLite's twin is used: no file is copied here.
CREATE TABLE openings (
    id TEXT PRIMARY KEY NOT NULL,
    file TEXT NOT NULL
);
