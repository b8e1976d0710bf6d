-- Only PostgreSQL's twin does something: SQLite overwrites what is deleted at once.
SELECT 1;
