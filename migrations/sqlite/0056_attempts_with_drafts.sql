-- The sweep empties the drafts of sessions that a node of a version without drafts erased. Few attempts have a draft.
CREATE INDEX attempts_with_drafts ON attempts (session_id, attempt) WHERE draft IS NOT NULL;
