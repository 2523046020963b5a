UPDATE skill_versions SET disabled = ? WHERE tenant_id = ? AND name = ? AND version = ?
