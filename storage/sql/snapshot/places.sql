SELECT place, chunk
FROM chunk_places
WHERE chunk IS NOT NULL
ORDER BY place
