INSERT INTO stored_totals (tenant_id, bytes)
VALUES (?, ?)
ON CONFLICT (tenant_id) DO UPDATE SET bytes = bytes + excluded.bytes
