INSERT INTO checkpoint_artifacts (execution_id, path, thread_key, position)
VALUES (?, ?, ?, ?)
ON CONFLICT DO NOTHING
