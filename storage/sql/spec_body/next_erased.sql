SELECT key
FROM spec_bodies
WHERE execution_id >= 'erased:' AND execution_id < 'erased;'
ORDER BY execution_id
LIMIT 1
