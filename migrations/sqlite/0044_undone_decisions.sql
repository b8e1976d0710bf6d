-- What a reviewer had written and ticked for a decision that they undid, until their reservation ends. The note is encrypted like the
-- session's.
ALTER TABLE review_holds ADD COLUMN undone_note BLOB;
ALTER TABLE review_holds ADD COLUMN undone_reasons TEXT;
