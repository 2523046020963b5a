DELETE FROM skill_revisions
WHERE NOT EXISTS (
    SELECT 1 FROM skill_versions AS v
    WHERE v.tenant_id = skill_revisions.tenant_id AND v.name = skill_revisions.name AND v.version = skill_revisions.version
)
