-- When the password of a sign-in that waits for its second factor was counted as an attempt, which is taken back once the factor has come. NULL if no
-- password was counted.
ALTER TABLE half_sign_ins ADD COLUMN counted_at INTEGER;
