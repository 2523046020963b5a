DELETE FROM execution_specs
WHERE execution_id = ?
