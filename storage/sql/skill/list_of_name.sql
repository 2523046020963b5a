SELECT name, version, description, lang, digest, uploaded_at_ms, disabled
FROM skill_versions
WHERE tenant_id = :tenant AND name = :name AND version > :after_version
    AND (:text = '' OR instr(lower(name), :text) > 0 OR instr(lower(description), :text) > 0)
ORDER BY version
LIMIT :limit
