INSERT INTO execution_specs (execution_id, spec, has_body)
VALUES (?, ?, ?)
