SELECT count(*)
FROM allowed_images
WHERE tenant_id >= ''
