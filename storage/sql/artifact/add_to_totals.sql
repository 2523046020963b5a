INSERT INTO artifact_totals (tenant_id, files, bytes)
VALUES (?, ?, ?)
ON CONFLICT (tenant_id) DO UPDATE SET files = files + excluded.files, bytes = bytes + excluded.bytes
