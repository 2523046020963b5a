INSERT INTO states (tenant_id, digest, size_bytes, stored_bytes, base_key, uses)
VALUES (?, ?, ?, ?, ?, 1)
