DELETE FROM execution_labels
WHERE tenant_id = ? AND name = ? AND value = ? AND execution_id = ?
