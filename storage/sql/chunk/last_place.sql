SELECT coalesce(max(place), 0)
FROM chunk_places
