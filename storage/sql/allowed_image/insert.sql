INSERT INTO allowed_images (tenant_id, image, added_at_ms)
VALUES (?, ?, ?)
