SELECT r.tenant_id, r.digest, r.content_id, r.size_bytes, r.files, r.format, r.uploaded_at_ms, r.replaced_at_ms, v.disabled, r.manifest
FROM skill_revisions AS r
JOIN skill_versions AS v ON v.tenant_id = r.tenant_id AND v.name = r.name AND v.version = r.version
WHERE r.tenant_id = :tenant AND r.digest = :digest
