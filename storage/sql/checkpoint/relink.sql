UPDATE checkpoints
SET (parent_position, gap) = (SELECT d.parent_position, checkpoints.gap + 1 + d.gap
    FROM checkpoints AS d
    WHERE d.thread_key = :thread AND d.position = :dropped)
WHERE thread_key = :thread AND parent_position = :dropped
