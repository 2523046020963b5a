SELECT count(*) FROM skill_revisions INDEXED BY skill_revisions_by_version WHERE tenant_id = ? AND name = ? AND version = ?
