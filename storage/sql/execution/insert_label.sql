INSERT INTO execution_labels (tenant_id, name, value, execution_id)
VALUES (?, ?, ?, ?)
