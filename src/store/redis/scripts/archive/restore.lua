-- What the scripts that store records as they were begin with, behind the prelude.

-- What is stored later comes after what is stored here.
local function keep_place(thread, place)
  local last = tonumber(redis.call('GET', thread .. 'places') or '0')
  if last <= tonumber(place) then redis.call('SET', thread .. 'places', string.format('%d', tonumber(place) + 1)) end
end

-- Takes up what was remembered elsewhere, with the number that it had there.
local function restore_standing(thread, what, id, change, is_open, is_channel_private, call)
  if change == '' then return end
  local _, channel = places_of(thread)
  local clock, member = memory_clock(thread), thread .. id
  local own_set, channel_set, workspace_set = memory_sets(thread, what)
  redis.call('HSETNX', clock, 'epoch', call)
  if tonumber(redis.call('HGET', clock, 'change') or '0') < tonumber(change) then
    redis.call('HSET', clock, 'change', change)
  end
  if is_channel_private == '1' then redis.call('HSET', clock, 'private:' .. channel, '1') end
  local added = redis.call('ZADD', own_set, change, member)
  redis.call('ZADD', channel_set, change, member)
  trim(channel_set)
  if is_open == '1' then
    redis.call('ZADD', workspace_set, change, member)
    trim(workspace_set)
  end
  redis.call('HINCRBY', clock, 'count', added - trim(own_set))
end

--- turn
-- KEYS: workspace. ARGV: turn, event, created, request, place, status, attempt, outcome, ended (both
-- empty: it has not), thread, who asked, how many steps, then each field and JSON, and so the usage.
local workspace, thread, turn, created = KEYS[1], ARGV[10], ARGV[1], ARGV[3]
local group, last_step = workspace .. 'turn:' .. turn, 12 + 2 * tonumber(ARGV[12])
redis.call('HSET', group, 'status', ARGV[6], 'attempt', ARGV[7], 'thread', thread, 'created', created,
  'request', ARGV[4], 'event', ARGV[2], 'place', ARGV[5])
if ARGV[9] ~= '' then redis.call('HSET', group, 'outcome', ARGV[8], 'ended', ARGV[9]) end
if ARGV[11] ~= '' then redis.call('HSET', group, 'asked_by', ARGV[11]) end
for at = 13, last_step, 2 do put_step(group, ARGV[at], ARGV[at + 1]) end
for at = last_step + 1, #ARGV, 2 do
  redis.call('HSETNX', group, ARGV[at], redis.call('HLEN', group) .. ' ' .. ARGV[at + 1])
end
redis.call('ZADD', thread .. 'turns', created, ARGV[5] .. turn)
redis.call('SET', workspace .. 'event:' .. ARGV[2], turn)
if ARGV[6] ~= 'ended' then redis.call('ZADD', workspace .. 'unfinished', created, turn) end
redis.call('ZADD', workspace .. 'threads', 'LT', created, thread)
keep_place(thread, ARGV[5])
return 'written'

--- message
-- KEYS: workspace. ARGV: call, id, kind and turn, role and status, created, JSON, place, shard, change,
-- open (1 or 0), channel private (1 or 0), vector, thread; what it has not is empty.
local thread, id, role_and_status, created, place = ARGV[13], ARGV[2], ARGV[4], ARGV[5], ARGV[7]
local kind, turn = string.sub(ARGV[3], 1, 1), string.sub(ARGV[3], 2)
write_message(thread, kind, turn, id, message_value(role_and_status, created, place, ARGV[6]))
redis.call('HSET', thread .. 'ids', id, ARGV[3])
redis.call('ZADD', thread .. 'messages', created, place .. id)
redis.call('ZADD', threads_of_workspace(thread), 0, thread)
if string.sub(role_and_status, 1, 1) == 'h' then redis.call('ZADD', thread .. 'questions', created, place .. id) end
if kind ~= 't' then
  redis.call('ZADD', thread .. 'imported', created, place .. id)
  redis.call('ZADD', KEYS[1] .. 'threads', 'LT', created, thread)
end
if ARGV[8] ~= '' then redis.call('HSET', thread .. 'sharded', id, ARGV[8]) end
if ARGV[12] ~= '' then redis.call('HSET', thread .. 'vectors', 'm:' .. id, ARGV[12]) end
restore_standing(thread, 'messages', id, ARGV[9], ARGV[10], ARGV[11], ARGV[1])
keep_place(thread, place)
return 'written'

--- shard
-- KEYS: workspace. ARGV: call, id, value, ages from, change, open (1 or 0), channel private (1 or 0),
-- vector, thread; what it has not is empty. Of one that is superseded, its sources.
local thread, id = ARGV[9], ARGV[2]
redis.call('HSET', thread .. 'shards', id, ARGV[3])
redis.call('ZADD', thread .. 'shard-ages', ARGV[4], id)
redis.call('ZADD', KEYS[1] .. 'threads', 'LT', ARGV[4], thread)
if ARGV[8] ~= '' then redis.call('HSET', thread .. 'vectors', 's:' .. id, ARGV[8]) end
for at = 10, #ARGV do note_before(thread, ARGV[at], id) end
restore_standing(thread, 'shards', id, ARGV[5], ARGV[6], ARGV[7], ARGV[1])
return 'written'

--- forgotten
-- KEYS: workspace. ARGV: event, when it expires, how long that is in milliseconds.
local events = forgotten_events(KEYS[1])
redis.call('ZADD', events, ARGV[2], ARGV[1])
redis.call('PEXPIRE', events, math.max(redis.call('PTTL', events), tonumber(ARGV[3])))
return 'written'

--- spending
-- KEYS: workspace. ARGV: scope, day, sum.
redis.call('HSET', KEYS[1] .. 'spending:' .. ARGV[1], ARGV[2], ARGV[3])
redis.call('ZADD', KEYS[1] .. 'spending', 'LT', ARGV[2], ARGV[1])
return 'written'
