UPDATE chunk_places
SET chunk = ?, hole = 0
WHERE place = (SELECT place FROM chunk_places INDEXED BY chunk_places_free WHERE chunk IS NULL ORDER BY hole, place LIMIT 1)
RETURNING place
