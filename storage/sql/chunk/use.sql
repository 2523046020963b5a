INSERT INTO chunks (tenant_id, sha256, size_bytes, uses)
VALUES (?, ?, ?, 1)
ON CONFLICT (tenant_id, sha256) DO UPDATE SET uses = uses + 1
RETURNING key, uses
