SELECT r.tenant_id, r.digest, r.content_id, r.size_bytes, r.files, r.format, r.uploaded_at_ms, r.replaced_at_ms, v.disabled, r.manifest
FROM skill_versions AS v
JOIN skill_revisions AS r ON r.tenant_id = v.tenant_id AND r.digest = v.digest
WHERE v.tenant_id = :tenant AND v.name = :name AND v.version = :version
