INSERT INTO execution_payloads (execution_id, input, output)
VALUES (?, ?, x'')
