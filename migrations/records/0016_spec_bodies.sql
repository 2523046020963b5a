-- Contents of a large spec, one after the other and cut into pieces that are written each by itself: one transaction of many megabytes
-- would hold up all others. A body is its execution's from the moment on at which that is recorded; before, its name begins with
-- "unfinished:", and when the spec is gone with "erased:".
CREATE TABLE spec_bodies (
    key INTEGER NOT NULL PRIMARY KEY,
    execution_id TEXT NOT NULL UNIQUE,
    bytes INTEGER NOT NULL
) STRICT;

CREATE TABLE spec_pieces (
    key INTEGER NOT NULL PRIMARY KEY,
    body INTEGER NOT NULL REFERENCES spec_bodies (key),
    number INTEGER NOT NULL,
    bytes BLOB NOT NULL,
    UNIQUE (body, number)
) STRICT;

ALTER TABLE execution_specs ADD COLUMN has_body INTEGER NOT NULL DEFAULT 0;
