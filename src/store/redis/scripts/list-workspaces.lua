-- KEYS: workspaces. ARGV: the number to go on behind, limit. Gives {workspace and number in turn, the
-- highest number so far, how many workspaces there are, how many up to that number}.
local list = KEYS[1] .. 'list'
local found = redis.call('ZRANGEBYSCORE', list, '(' .. ARGV[1], '+inf', 'WITHSCORES', 'LIMIT', 0, ARGV[2])
return { found, tonumber(redis.call('GET', KEYS[1] .. 'count') or '0'), redis.call('ZCARD', list),
  redis.call('ZCOUNT', list, '-inf', ARGV[1]) }
