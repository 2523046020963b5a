UPDATE checkpoints
SET branches = branches + :more
WHERE thread_key = :thread AND position = :position
