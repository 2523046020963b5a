SELECT skills, revisions, bytes FROM skill_totals WHERE tenant_id = ?
