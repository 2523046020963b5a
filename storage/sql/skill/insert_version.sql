INSERT INTO skill_versions (tenant_id, name, version, digest, description, lang, uploaded_at_ms, disabled)
VALUES (?, ?, ?, ?, ?, ?, ?, 0)
