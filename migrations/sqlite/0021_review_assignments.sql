-- Who is to decide a case. A row leaves when its case leaves the queue, and when its person may no longer review.
CREATE TABLE review_assignments (
    session_id TEXT PRIMARY KEY NOT NULL REFERENCES sessions (id),
    user_id TEXT NOT NULL REFERENCES users (id),
    assigned_at INTEGER NOT NULL
) STRICT;
CREATE INDEX review_assignments_of_user ON review_assignments (user_id);
