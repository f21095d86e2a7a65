-- Puts a turn at the end of its thread's inbox.
-- KEYS: inbox, threads, dead, clock, waiting. ARGV: turn, thread, now, workspace, channel, last place,
-- 1 to take it from the dead. Gives its place, or nil when it is among the dead and stays there.
if ARGV[7] == '1' then
  if redis.call('HDEL', KEYS[3], ARGV[1]) == 0 then return false end
elseif redis.call('HEXISTS', KEYS[3], ARGV[1]) == 1 then
  return false
end
if not redis.call('LPOS', KEYS[1], ARGV[1]) then redis.call('RPUSH', KEYS[1], ARGV[1]) end
redis.call('ZADD', KEYS[2], 'NX', ARGV[3], ARGV[2])
-- Behind another turn of its thread it takes its place when that has ended.
local is_first = redis.call('LLEN', KEYS[1]) == 1
return next_place(KEYS[4], KEYS[5], ARGV[4], ARGV[5], tonumber(ARGV[6]), is_first)
