SELECT count(*)
FROM chunk_places INDEXED BY chunk_places_free
WHERE chunk IS NULL AND hole = 0
