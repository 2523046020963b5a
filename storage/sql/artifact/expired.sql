SELECT a.key, a.tenant_id, a.content_id
FROM artifacts AS a
WHERE a.expires_at_ms <= ?
    AND NOT EXISTS (SELECT 1 FROM checkpoint_artifacts AS c WHERE c.execution_id = a.execution_id AND c.path = a.path)
ORDER BY a.expires_at_ms, a.key
LIMIT ?
