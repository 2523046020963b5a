UPDATE spec_bodies
SET execution_id = ?
WHERE execution_id = ?
