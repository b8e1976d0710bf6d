-- Since when each secret of the installation has been in use. The row of one that the installation does not hold any more stays.
CREATE TABLE secret_ages (
    kind TEXT PRIMARY KEY NOT NULL,
    -- By which another secret is told from it: an argon2id hash; of the master key, its version.
    mark TEXT NOT NULL,
    since BIGINT NOT NULL
);
