UPDATE threads
SET name = :name, importing = 0
WHERE key = :key AND tenant_id = :tenant AND name IS NULL AND importing = 1
    AND NOT EXISTS (SELECT 1 FROM threads AS other WHERE other.tenant_id = :tenant AND other.name = :name)
