-- Kind 2 is output, stream 1 stdout (core/log/events.hpp). What the viewer has is stepped over without its data.
SELECT control_no, kind, stream, offset, length, stdout_end, stderr_end, at_ms, body, data
FROM events
WHERE log = :log AND seq > :from_seq
    AND CASE WHEN kind <> 2 THEN control_no > :control WHEN stream = 1 THEN stdout_end > :stdout_end ELSE stderr_end > :stderr_end END
ORDER BY seq
LIMIT :max_events
