UPDATE chunk_places
SET hole = 1
WHERE place = ? AND chunk IS NULL
