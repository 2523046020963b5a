SELECT version
FROM skill_versions
WHERE tenant_id = ? AND name = ? AND disabled = 0
ORDER BY version
