-- Claims an event and stores its turn with the question.
-- KEYS: workspace. ARGV: the workspace's number, retention, call, thread, turn, event, created,
-- request; question's id, role and status, created, JSON; who asks (empty: nobody knows)
-- Gives {'begun' or 'known', turn, the thread's earlier unfinished turns, oldest first …}, {'forgotten'}, {'turn is taken'}, {'message is taken'} or 'unlisted'.
local workspace = KEYS[1]
local call, thread, turn, event, created = ARGV[3], ARGV[4], ARGV[5], ARGV[6], ARGV[7]
local since = kept_since(workspace, ARGV[2])
local id, role_and_status, asked = ARGV[9], ARGV[10], ARGV[11]
local group, event_key = workspace .. 'turn:' .. turn, workspace .. 'event:' .. event
if not is_listed(workspace, ARGV[1]) then return 'unlisted' end

-- What was asked before in the thread and has not ended, back to the last turn that has: turns end in
-- their order, so that a long thread is not read to its beginning.
local function with_earlier(outcome, id)
  local own, reply = workspace .. 'turn:' .. id, { outcome, id }
  if redis.call('HGET', own, 'status') == 'ended' then return reply end
  local own_place, earlier, from = redis.call('HGET', own, 'place'), {}, 0
  repeat
    local members = redis.call('ZREVRANGE', thread .. 'turns', from, from + 15)
    for _, member in ipairs(members) do
      local place, other = string.sub(member, 1, 15), workspace .. 'turn:' .. string.sub(member, 16)
      if place < own_place and redis.call('HGET', other, 'status') == 'ended' then
        members = {}
        break
      elseif place < own_place and is_kept(other, since) then
        earlier[#earlier + 1] = member
      end
    end
    from = from + 16
  until #members == 0
  table.sort(earlier)
  for _, member in ipairs(earlier) do reply[#reply + 1] = string.sub(member, 16) end
  return reply
end

-- What has expired is absent: what the sweep has not reached makes room.
local known = redis.call('GET', event_key)
local known_group = known and workspace .. 'turn:' .. known
if known and is_kept(known_group, since) then
  -- The same call again, because its answer was lost on the way.
  local is_own = redis.call('HGET', known_group, 'begun_by') == call
  return with_earlier(is_own and 'begun' or 'known', known)
end
if known then remove_turn(known_group) end
if redis.call('ZSCORE', forgotten_events(workspace), event) then return { 'forgotten' } end

if is_kept(group, since) then return { 'turn is taken' } end
if redis.call('EXISTS', group) == 1 then remove_turn(group) end

local kind, owner = owner_of(thread, id)
if kind == 't' and not is_kept(workspace .. 'turn:' .. owner, since) then
  remove_turn(workspace .. 'turn:' .. owner)
  kind = false
end
local value = kind and read_message(thread, kind, owner, id)
local imported = value and message_head(value)
if kind == 't' or (imported and imported.role ~= 'h') then return { 'message is taken' } end

local turn_place = next_place(thread)
redis.call('HSET', group, 'status', 'queued', 'attempt', '0', 'thread', thread, 'created', created,
  'request', ARGV[8], 'event', event, 'place', turn_place, 'begun_by', call)
if ARGV[13] ~= '' then redis.call('HSET', group, 'asked_by', ARGV[13]) end
-- A question that was imported becomes the turn's, and keeps its place.
if imported then remove_message(thread, kind, owner, id) end
local place = imported and imported.place or next_place(thread)
notice(thread, string.sub(role_and_status, 3, 3), call)
add_message(thread, 't', turn, id, role_and_status, asked, place, ARGV[12], call)
redis.call('ZADD', thread .. 'turns', created, turn_place .. turn)
redis.call('SET', event_key, turn)
redis.call('ZADD', workspace .. 'unfinished', created, turn)
redis.call('ZADD', workspace .. 'threads', 'LT', created, thread)
return with_earlier('begun', turn)
