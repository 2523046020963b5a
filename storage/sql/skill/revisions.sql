SELECT r.version, r.digest, r.content_id, r.size_bytes, r.files, r.format, r.uploaded_at_ms, r.replaced_at_ms, v.disabled
FROM skill_revisions AS r INDEXED BY skill_revisions_by_version
JOIN skill_versions AS v ON v.tenant_id = r.tenant_id AND v.name = r.name AND v.version = r.version
WHERE r.tenant_id = :tenant AND r.name = :name
    AND (r.version, r.uploaded_at_ms, r.digest) > (:after_version, :after_ms, :after_digest)
ORDER BY r.version, r.uploaded_at_ms, r.digest
LIMIT :limit
