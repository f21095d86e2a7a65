-- KEYS: workspace. ARGV: turn, event, created, request, place, status, attempt, outcome, ended (both
-- empty: it has not), thread, how many steps, then each field and JSON, and so the usage.
local workspace, thread, turn, created = KEYS[1], ARGV[10], ARGV[1], ARGV[3]
local group, last_step = workspace .. 'turn:' .. turn, 11 + 2 * tonumber(ARGV[11])
redis.call('HSET', group, 'status', ARGV[6], 'attempt', ARGV[7], 'thread', thread, 'created', created,
  'request', ARGV[4], 'event', ARGV[2], 'place', ARGV[5])
if ARGV[9] ~= '' then redis.call('HSET', group, 'outcome', ARGV[8], 'ended', ARGV[9]) end
for at = 12, last_step, 2 do put_step(group, ARGV[at], ARGV[at + 1]) end
for at = last_step + 1, #ARGV, 2 do
  redis.call('HSETNX', group, ARGV[at], redis.call('HLEN', group) .. ' ' .. ARGV[at + 1])
end
redis.call('ZADD', thread .. 'turns', created, ARGV[5] .. turn)
redis.call('SET', workspace .. 'event:' .. ARGV[2], turn)
if ARGV[6] ~= 'ended' then redis.call('ZADD', workspace .. 'unfinished', created, turn) end
redis.call('ZADD', workspace .. 'threads', 'LT', created, thread)
keep_place(thread, ARGV[5])
return 'written'
