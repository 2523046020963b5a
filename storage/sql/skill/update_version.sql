UPDATE skill_versions SET digest = ?, description = ?, lang = ?, uploaded_at_ms = ?
WHERE tenant_id = ? AND name = ? AND version = ?
