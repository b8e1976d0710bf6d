-- Whether a wrong second factor has been recorded: the person may try again, and whoever stops then is not recorded a second time.
ALTER TABLE half_sign_ins ADD COLUMN refused INTEGER NOT NULL DEFAULT 0 CHECK (refused IN (0, 1));
