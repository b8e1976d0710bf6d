-- One row that `/readyz` writes anew: that it is durable shows that something can be written.
CREATE TABLE write_checks (
    id INTEGER PRIMARY KEY NOT NULL CHECK (id = 1),
    done INTEGER NOT NULL
) STRICT;
