-- The network that described a face: descriptors of different networks are not compared.
ALTER TABLE identities ADD COLUMN face_engine TEXT NOT NULL DEFAULT 'face-api';
