INSERT INTO logs (execution_id)
VALUES (?)
