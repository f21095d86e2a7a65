-- KEYS: thread, event, turn, unfinished, threads. ARGV: turn, event, created, request, place, status,
-- attempt, outcome, ended (both empty: it has not), who asked, how many steps, then each field and JSON, and so the usage.
local thread, turn, created = KEYS[1], ARGV[1], ARGV[3]
local group, last_step = thread .. 'turn:' .. turn, 11 + 2 * tonumber(ARGV[11])
redis.call('HSET', group, 'status', ARGV[6], 'attempt', ARGV[7], 'created', created, 'request', ARGV[4],
  'event', ARGV[2], 'place', ARGV[5])
if ARGV[9] ~= '' then redis.call('HSET', group, 'outcome', ARGV[8], 'ended', ARGV[9]) end
if ARGV[10] ~= '' then redis.call('HSET', group, 'asked_by', ARGV[10]) end
for at = 12, last_step, 2 do put_step(group, ARGV[at], ARGV[at + 1]) end
for at = last_step + 1, #ARGV, 2 do
  redis.call('HSETNX', group, ARGV[at], redis.call('HLEN', group) .. ' ' .. ARGV[at + 1])
end
redis.call('ZADD', thread .. 'turns', created, ARGV[5] .. turn)
redis.call('SET', KEYS[2], group)
redis.call('SET', KEYS[3], group)
if ARGV[6] ~= 'ended' then redis.call('ZADD', KEYS[4], created, group) end
redis.call('ZADD', KEYS[5], 'LT', created, thread)
keep_place(thread, ARGV[5])
return 'written'
