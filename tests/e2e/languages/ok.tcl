puts [join {O K} ""]
