INSERT INTO tenants (id, name, created_at_ms)
VALUES (?, ?, ?)
