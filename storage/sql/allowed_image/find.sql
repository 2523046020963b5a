SELECT 1
FROM allowed_images
WHERE tenant_id = ? AND image = ?
