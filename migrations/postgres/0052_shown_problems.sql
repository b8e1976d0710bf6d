-- When a picture was used despite `accepted_problems`: a node of an earlier version that takes the picture back and uses it again changes
-- `accepted_at` only. NULL until a picture is used on a node that notes it.
ALTER TABLE captures ADD COLUMN problems_accepted_at BIGINT;
-- What was known to be wrong with it until then: from then on, `problems` also has what its user was shown, which is where nodes of an earlier
-- version look for that.
ALTER TABLE captures ADD COLUMN found_problems TEXT;
