-- Puts turns at the end of their thread's inbox, but those that are there, or among the dead.
-- KEYS: inbox, threads, dead, clock, waiting. ARGV: thread, now, workspace, channel, last place, 1 to take
-- the turn from the dead, then the turns in their order.
-- Gives the place of the thread, or nil when the last of the turns is among the dead and stays there.
local last = ARGV[#ARGV]
if ARGV[6] == '1' and redis.call('HDEL', KEYS[3], last) == 0 then return false end
local had = redis.call('LLEN', KEYS[1])
for index = 7, #ARGV do
  local turn = ARGV[index]
  local is_dead = redis.call('HEXISTS', KEYS[3], turn) == 1
  if not is_dead and not redis.call('LPOS', KEYS[1], turn) then redis.call('RPUSH', KEYS[1], turn) end
end
if redis.call('HEXISTS', KEYS[3], last) == 1 and had == redis.call('LLEN', KEYS[1]) then return false end
redis.call('ZADD', KEYS[2], 'NX', ARGV[2], ARGV[1])
-- Behind another turn of its thread it takes its place when that has ended.
local is_first = had == 0
return next_place(KEYS[4], KEYS[5], ARGV[3], ARGV[4], tonumber(ARGV[5]), is_first)
