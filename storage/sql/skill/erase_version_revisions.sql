DELETE FROM skill_revisions WHERE tenant_id = ? AND name = ? AND version = ?
