DELETE FROM skill_versions
WHERE NOT EXISTS (SELECT 1 FROM skill_revisions AS r WHERE r.tenant_id = skill_versions.tenant_id AND r.digest = skill_versions.digest)
