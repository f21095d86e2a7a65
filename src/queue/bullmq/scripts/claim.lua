-- Makes a run the only one that may end the thread's first turn.
-- KEYS: inbox, threads, holders, clock. ARGV: thread, run, the place it had. Gives the turn, or nil.
local turn = redis.call('LINDEX', KEYS[1], 0)
if not turn then
  redis.call('ZREM', KEYS[2], ARGV[1])
  redis.call('HDEL', KEYS[3], ARGV[1])
  return false
end
redis.call('HSET', KEYS[3], ARGV[1], ARGV[2])
if tonumber(ARGV[3]) > tonumber(redis.call('HGET', KEYS[4], 'now') or '0') then
  redis.call('HSET', KEYS[4], 'now', ARGV[3])
end
return turn
