DELETE FROM skill_versions WHERE tenant_id = ? AND name = ?
