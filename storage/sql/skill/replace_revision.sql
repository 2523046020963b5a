UPDATE skill_revisions SET replaced_at_ms = ?
WHERE tenant_id = ? AND digest = ?
