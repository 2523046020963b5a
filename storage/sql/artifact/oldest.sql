SELECT a.key, a.content_id, a.size_bytes
FROM artifacts AS a
WHERE a.tenant_id = ?
    AND NOT EXISTS (SELECT 1 FROM checkpoint_artifacts AS c WHERE c.execution_id = a.execution_id AND c.path = a.path)
ORDER BY a.created_at_ms, a.key
LIMIT ?
