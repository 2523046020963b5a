-- Whole chunks lie in a file of their own from now on, in places of 256 KiB: each is written once and beside the log (-wal). Chunks of
-- before, and those that are shorter, are rows of chunk_bytes.

CREATE TABLE chunk_places (
    place INTEGER NOT NULL PRIMARY KEY,          -- from 1; the file is at least this long
    chunk INTEGER UNIQUE REFERENCES chunks (key),    -- null: the place is free
    hole INTEGER NOT NULL DEFAULT 0              -- 1: free, and its bytes were given back to the file system
) STRICT;

CREATE INDEX chunk_places_free ON chunk_places (hole, place) WHERE chunk IS NULL;

-- Chunks are recognised by a keyed tag of 16 bytes; those of before by their SHA-256.
ALTER TABLE chunks RENAME COLUMN sha256 TO tag;

CREATE TABLE tag_keys (
    key BLOB NOT NULL PRIMARY KEY    -- one, of 32 bytes; nobody outside of this file knows it
) STRICT, WITHOUT ROWID;

INSERT INTO tag_keys (key)
VALUES (randomblob(32));
