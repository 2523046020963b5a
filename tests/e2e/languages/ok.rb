puts %w[O K].join
