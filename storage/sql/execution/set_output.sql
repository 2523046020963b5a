INSERT INTO execution_payloads (execution_id, input, output)
VALUES (?, x'', ?)
ON CONFLICT (execution_id) DO UPDATE SET output = excluded.output
