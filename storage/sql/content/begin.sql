INSERT INTO contents (id, tenant_id, state)
VALUES (?, ?, 1)
