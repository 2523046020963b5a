INSERT INTO contents (id, tenant_id, state, sha256, size_bytes, finished_at_ms)
VALUES (?, ?, 2, ?, ?, ?)
