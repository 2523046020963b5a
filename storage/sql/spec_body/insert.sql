INSERT INTO spec_bodies (execution_id, bytes)
VALUES (?, ?)
