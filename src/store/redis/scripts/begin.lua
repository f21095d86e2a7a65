-- Claims an event and stores its turn with the question.
-- KEYS: thread, event, turn, unfinished, threads
-- ARGV: kept since, call, turn, event, created, request; question's id, role and status, created, JSON
-- Gives {'begun' or 'known', group}, {'turn is taken'} or {'message is taken'}.
local thread, event_key, turn_key = KEYS[1], KEYS[2], KEYS[3]
local kept_since, call, turn, event, created = ARGV[1], ARGV[2], ARGV[3], ARGV[4], ARGV[5]
local id, role_and_status, asked = ARGV[7], ARGV[8], ARGV[9]

local known = redis.call('GET', event_key)
if known and is_kept(known, kept_since) then
  -- The same call again, because its answer was lost on the way.
  local is_own = redis.call('HGET', known, 'begun_by') == call
  return { is_own and 'begun' or 'known', known }
end
local namesake = redis.call('GET', turn_key)
if namesake and is_kept(namesake, kept_since) then return { 'turn is taken' } end

local kind, owner = owner_of(thread, id)
local imported = kind and read_message(thread, kind, owner, id)
local is_removed = kind == 't' and not is_kept(thread .. 'turn:' .. owner, kept_since)
  and (thread .. 'turn:' .. owner == known or thread .. 'turn:' .. owner == namesake)
if kind and not is_removed and (kind == 't' or message_head(imported).role ~= 'h') then
  return { 'message is taken' }
end

if known then remove_turn(known) end
if namesake and namesake ~= known then remove_turn(namesake) end

local group = thread .. 'turn:' .. turn
local turn_place = next_place(thread)
redis.call('HSET', group, 'status', 'queued', 'attempt', '0', 'created', created, 'request', ARGV[6],
  'event', event, 'place', turn_place, 'begun_by', call)
local place
if kind and not is_removed then
  place = message_head(imported).place
  remove_message(thread, kind, owner, id)
else
  place = next_place(thread)
end
write_message(thread, 't', turn, id, message_value(role_and_status, asked, place, ARGV[10]))
order_message(thread, 't', turn, id, { role = string.sub(role_and_status, 1, 1), created = asked, place = place })
redis.call('ZADD', thread .. 'turns', created, turn_place .. turn)
redis.call('SET', event_key, group)
redis.call('SET', turn_key, group)
redis.call('ZADD', KEYS[4], created, group)
redis.call('ZADD', KEYS[5], 'LT', created, thread)
return { 'begun', group }
