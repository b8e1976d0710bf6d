-- The account at the OpenID provider that a sign-in that waits for its second factor came with, if it is linked once the factor has come. NULL if it is
-- linked already, or there is none.
ALTER TABLE half_sign_ins ADD COLUMN link_issuer TEXT;
ALTER TABLE half_sign_ins ADD COLUMN link_subject TEXT;
