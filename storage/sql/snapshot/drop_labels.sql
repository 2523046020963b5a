DELETE FROM execution_labels
WHERE execution_id = ?
