SELECT count(*)
FROM chunk_places
WHERE chunk IS NULL AND hole = 0
