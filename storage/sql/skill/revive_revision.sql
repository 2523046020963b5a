UPDATE skill_revisions SET uploaded_at_ms = ?, replaced_at_ms = NULL
WHERE tenant_id = ? AND digest = ?
