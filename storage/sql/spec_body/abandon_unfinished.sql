UPDATE spec_bodies
SET execution_id = 'erased:' || key || ':' || execution_id
WHERE execution_id >= 'unfinished:' AND execution_id < 'unfinished;'
