-- KEYS: workspace. ARGV: call, id, value, ages from, change, open (1 or 0), channel private (1 or 0),
-- vector, thread; what it has not is empty.
local thread, id = ARGV[9], ARGV[2]
redis.call('HSET', thread .. 'shards', id, ARGV[3])
redis.call('ZADD', thread .. 'shard-ages', ARGV[4], id)
redis.call('ZADD', KEYS[1] .. 'threads', 'LT', ARGV[4], thread)
if ARGV[8] ~= '' then redis.call('HSET', thread .. 'vectors', 's:' .. id, ARGV[8]) end
restore_standing(thread, 'shards', id, ARGV[5], ARGV[6], ARGV[7], ARGV[1])
return 'written'
