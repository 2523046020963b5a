INSERT INTO chunks (tenant_id, tag, size_bytes, uses)
VALUES (?, ?, ?, ?)
ON CONFLICT (tenant_id, tag) DO NOTHING
