-- What the frames in the colours of the screen showed of the face, encrypted with the session's key.
ALTER TABLE captures ADD COLUMN flashes BLOB;
