-- Threads that may hold what has expired. KEYS: threads. ARGV: kept since, limit.
return redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', '(' .. ARGV[1], 'LIMIT', 0, ARGV[2])
