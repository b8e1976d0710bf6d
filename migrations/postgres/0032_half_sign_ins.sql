-- People who have entered their password and have yet to show their second factor. A row leaves with what is recorded of it: that they signed
-- in, that the second factor was wrong, or that it never came.
CREATE TABLE half_sign_ins (
    number BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    user_id TEXT NOT NULL REFERENCES users (id),
    -- Where they came from.
    address TEXT NOT NULL
);
