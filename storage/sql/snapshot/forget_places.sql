DELETE FROM chunk_places
