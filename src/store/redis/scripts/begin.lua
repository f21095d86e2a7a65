-- Claims an event and stores its turn with the question.
-- KEYS: thread, event, turn, unfinished, threads
-- ARGV: kept since, call, turn, event, created, request; question's id, role and status, created, JSON;
-- who asks (empty: nobody knows)
-- Gives {'begun' or 'known', group}, {'forgotten'}, {'turn is taken'} or {'message is taken'}.
local thread, event_key, turn_key = KEYS[1], KEYS[2], KEYS[3]
local kept_since, call, turn, event, created = ARGV[1], ARGV[2], ARGV[3], ARGV[4], ARGV[5]
local id, role_and_status, asked = ARGV[7], ARGV[8], ARGV[9]

-- What has expired is absent: what the sweep has not reached makes room.
local known = redis.call('GET', event_key)
if known and is_kept(known, kept_since) then
  -- The same call again, because its answer was lost on the way.
  local is_own = redis.call('HGET', known, 'begun_by') == call
  return { is_own and 'begun' or 'known', known }
end
if known then remove_turn(known) end
if redis.call('ZSCORE', forgotten_events(thread), event) then return { 'forgotten' } end

local namesake = redis.call('GET', turn_key)
if namesake and is_kept(namesake, kept_since) then return { 'turn is taken' } end
if namesake then remove_turn(namesake) end

local kind, owner = owner_of(thread, id)
if kind == 't' and not is_kept(thread .. 'turn:' .. owner, kept_since) then
  remove_turn(thread .. 'turn:' .. owner)
  kind = false
end
local value = kind and read_message(thread, kind, owner, id)
local imported = value and message_head(value)
if kind == 't' or (imported and imported.role ~= 'h') then return { 'message is taken' } end

local group = thread .. 'turn:' .. turn
local turn_place = next_place(thread)
redis.call('HSET', group, 'status', 'queued', 'attempt', '0', 'created', created, 'request', ARGV[6],
  'event', event, 'place', turn_place, 'begun_by', call)
if ARGV[11] ~= '' then redis.call('HSET', group, 'asked_by', ARGV[11]) end
-- A question that was imported becomes the turn's, and keeps its place.
if imported then remove_message(thread, kind, owner, id) end
local place = imported and imported.place or next_place(thread)
notice(thread, string.sub(role_and_status, 3, 3), call)
add_message(thread, 't', turn, id, role_and_status, asked, place, ARGV[10], call)
redis.call('ZADD', thread .. 'turns', created, turn_place .. turn)
redis.call('SET', event_key, group)
redis.call('SET', turn_key, group)
redis.call('ZADD', KEYS[4], created, group)
redis.call('ZADD', KEYS[5], 'LT', created, thread)
return { 'begun', group }
