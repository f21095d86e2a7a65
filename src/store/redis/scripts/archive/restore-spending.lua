-- KEYS: scope, spending. ARGV: scope by name, day, sum.
redis.call('HSET', KEYS[1], ARGV[2], ARGV[3])
redis.call('ZADD', KEYS[2], 'LT', ARGV[2], ARGV[1])
return 'written'
