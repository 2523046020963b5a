INSERT INTO skill_revisions (tenant_id, digest, name, version, content_id, size_bytes, files, format, uploaded_at_ms, manifest)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
