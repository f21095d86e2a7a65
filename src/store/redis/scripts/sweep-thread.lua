-- Deletes what has expired in a thread. KEYS: thread, threads. ARGV: kept since, limit. Gives how many records.
local thread, limit = KEYS[1], tonumber(ARGV[2])
local swept = 0
for _, member in ipairs(redis.call('ZRANGEBYSCORE', thread .. 'turns', '-inf', '(' .. ARGV[1], 'LIMIT', 0, limit)) do
  remove_turn(thread .. 'turn:' .. string.sub(member, 16))
  swept = swept + 1
end
for _, member in ipairs(redis.call('ZRANGEBYSCORE', thread .. 'imported', '-inf', '(' .. ARGV[1], 'LIMIT', 0, limit - swept)) do
  local id = string.sub(member, 16)
  local kind, turn = owner_of(thread, id)
  remove_message(thread, kind, turn, id)
  swept = swept + 1
end
-- The thread comes up again when the oldest that is left expires.
local turn = redis.call('ZRANGE', thread .. 'turns', 0, 0, 'WITHSCORES')[2]
local message = redis.call('ZRANGE', thread .. 'imported', 0, 0, 'WITHSCORES')[2]
if turn or message then
  local oldest = math.min(tonumber(turn or message), tonumber(message or turn))
  redis.call('ZADD', KEYS[2], string.format('%.17g', oldest), thread)
else
  redis.call('ZREM', KEYS[2], thread)
  redis.call('DEL', thread .. 'places')
end
return swept
