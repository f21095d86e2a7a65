-- The thread's first turn, for the worker that holds the lock of the thread's job.
-- KEYS: inbox, threads, lock, clock. ARGV: thread, the worker's token, the place it had. Gives the turn, or nil.
if redis.call('GET', KEYS[3]) ~= ARGV[2] then return false end
local turn = redis.call('LINDEX', KEYS[1], 0)
if not turn then
  redis.call('ZREM', KEYS[2], ARGV[1])
  return false
end
if tonumber(ARGV[3]) > tonumber(redis.call('HGET', KEYS[4], 'now') or '0') then
  redis.call('HSET', KEYS[4], 'now', ARGV[3])
end
return turn
