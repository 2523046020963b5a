INSERT INTO execution_specs (execution_id, spec)
VALUES (?, ?)
