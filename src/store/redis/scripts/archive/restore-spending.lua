-- KEYS: workspace. ARGV: scope, day, sum.
redis.call('HSET', KEYS[1] .. 'spending:' .. ARGV[1], ARGV[2], ARGV[3])
redis.call('ZADD', KEYS[1] .. 'spending', 'LT', ARGV[2], ARGV[1])
return 'written'
