-- What a reviewer had written and ticked for a decision that they undid, until their reservation ends. The note is encrypted like the
-- session's. A node of an earlier version gives the reservation to somebody else without knowing of it: it is theirs only who undid it.
ALTER TABLE review_holds ADD COLUMN undone_by TEXT;
ALTER TABLE review_holds ADD COLUMN undone_note BLOB;
ALTER TABLE review_holds ADD COLUMN undone_reasons TEXT;
