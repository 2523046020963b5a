INSERT INTO chunk_places (chunk)
VALUES (?)
RETURNING place
