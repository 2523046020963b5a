DELETE FROM artifacts
WHERE key IN (
    SELECT key
    FROM artifacts
    WHERE execution_id = ? AND tenant_id = ?
    ORDER BY path
    LIMIT ?)
RETURNING content_id
