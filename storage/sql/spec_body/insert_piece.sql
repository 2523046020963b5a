INSERT INTO spec_pieces (body, number, bytes)
VALUES (?, ?, ?)
