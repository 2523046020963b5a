UPDATE chunk_places
SET chunk = NULL
WHERE chunk = ?
