UPDATE checkpoints
SET pinned = :pinned
WHERE thread_key = :thread AND id = :id
