--- begin
-- Claims an event and stores its turn with the question.
-- KEYS: workspace. ARGV: retention, call, thread, turn, event, created, request; question's id, role and
-- status, created, JSON; asker (empty: unknown); field and JSON of each step.
-- Returns {'begun' or 'known', turn, the thread's earlier unfinished turns, oldest first …}, {'forgotten'},
-- {'turn is taken'} or {'message is taken'}.
local workspace = KEYS[1]
local call, thread, turn, event, created = ARGV[2], ARGV[3], ARGV[4], ARGV[5], ARGV[6]
local since = kept_since(workspace, ARGV[1])
local id, role_and_status, asked = ARGV[8], ARGV[9], ARGV[10]
local group, event_key = workspace .. 'turn:' .. turn, workspace .. 'event:' .. event

-- Adds the thread's earlier unfinished turns, back to the last ended one: turns end in order, so a long thread
-- isn't read to its beginning.
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

-- Expired turns count as absent, even before the sweep; delete them here.
local known = redis.call('GET', event_key)
local known_group = known and workspace .. 'turn:' .. known
if known and is_kept(known_group, since) then
  -- A repeat of the same call after a lost reply.
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
  'request', ARGV[7], 'event', event, 'place', turn_place, 'begun_by', call)
if ARGV[12] ~= '' then redis.call('HSET', group, 'asked_by', ARGV[12]) end
for at = 13, #ARGV, 2 do put_step(group, ARGV[at], ARGV[at + 1]) end
-- An imported question becomes the turn's, keeping its place and its shard.
local shard = imported and redis.call('HGET', thread .. 'sharded', id)
if imported then remove_message(thread, kind, owner, id) end
if shard then redis.call('HSET', thread .. 'sharded', id, shard) end
local place = imported and imported.place or next_place(thread)
note_privacy(thread, role_and_status, asked, call)
add_message(thread, 't', turn, id, role_and_status, asked, place, ARGV[11], call)
redis.call('ZADD', thread .. 'turns', created, turn_place .. turn)
redis.call('SET', event_key, turn)
redis.call('ZADD', workspace .. 'unfinished', created, turn)
redis.call('ZADD', workspace .. 'threads', 'LT', created, thread)
return with_earlier('begun', turn)

--- take
-- Takes a turn to run it. KEYS: workspace. ARGV: retention, call, turn. Returns the whole group, or nil.
local group, call = KEYS[1] .. 'turn:' .. ARGV[3], ARGV[2]
local header = redis.call('HMGET', group, 'status', 'taken_by')
if not header[1] or header[1] == 'ended' or not is_kept(group, kept_since(KEYS[1], ARGV[1])) then return false end
-- A repeat of the same call after a lost reply doesn't increment again.
if header[2] ~= call then
  redis.call('HINCRBY', group, 'attempt', 1)
  redis.call('HSET', group, 'status', 'running', 'taken_by', call)
end
return { ARGV[3], redis.call('HGETALL', group) }

--- checkpoint
-- Writes finished parts of a turn, all or nothing.
-- KEYS: workspace. ARGV: thread, turn, retention, call, attempt, outcome, ended (both empty: not ended),
-- then three lists, each after its length: messages (id, role and status, created, JSON), steps
-- (field, JSON), usage (field, JSON).
-- Returns 'written', 'superseded', or {id} for a message id that is taken.
local workspace, thread, turn, call = KEYS[1], ARGV[1], ARGV[2], ARGV[4]
local group = workspace .. 'turn:' .. turn
local at = 7
local function take_list(width)
  local list = {}
  at = at + 1
  for _ = 1, tonumber(ARGV[at]) do
    local item = {}
    for column = 1, width do item[column] = ARGV[at + column] end
    at = at + width
    list[#list + 1] = item
  end
  return list
end
local messages, steps, usage = take_list(4), take_list(2), take_list(2)

local header = redis.call('HMGET', group, 'status', 'attempt', 'ended_by', 'thread')
-- A repeat of the same call after a lost reply.
if header[1] == 'ended' and header[3] == call then return 'written' end
if header[1] ~= 'running' or header[2] ~= ARGV[5] or header[4] ~= thread or not is_kept(group, kept_since(workspace, ARGV[3])) then
  return 'superseded'
end

local roles = {}
for _, message in ipairs(messages) do
  local id, role = message[1], string.sub(message[2], 1, 1)
  local kind, owner = owner_of(thread, id)
  if kind and (kind ~= 't' or owner ~= turn) then return { id } end
  local known = roles[id] or (kind and message_head(read_message(thread, 't', turn, id)).role)
  if known and known ~= role then return { id } end
  roles[id] = role
end

for _, message in ipairs(messages) do
  local id, role_and_status, created, json = message[1], message[2], message[3], message[4]
  local before = redis.call('HGET', group, 'm:' .. id)
  if before then
    local head = message_head(before)
    write_message(thread, 't', turn, id, message_value(role_and_status, head.created, head.place, json))
    remember_message(thread, id, role_and_status, call)
  else
    add_message(thread, 't', turn, id, role_and_status, created, next_place(thread), json, call)
  end
end

for _, step in ipairs(steps) do put_step(group, step[1], step[2]) end

for _, event in ipairs(usage) do
  redis.call('HSETNX', group, event[1], redis.call('HLEN', group) .. ' ' .. event[2])
end

if ARGV[7] ~= '' then
  redis.call('HSET', group, 'status', 'ended', 'outcome', ARGV[6], 'ended', ARGV[7], 'ended_by', call)
  redis.call('ZREM', workspace .. 'unfinished', turn)
end
return 'written'

--- remark
-- Adds a step from outside the turn. KEYS: workspace. ARGV: retention, turn, field, JSON. Returns
-- 'written' or 'absent'.
local group = KEYS[1] .. 'turn:' .. ARGV[2]
if not is_kept(group, kept_since(KEYS[1], ARGV[1])) then return 'absent' end
put_step(group, ARGV[3], ARGV[4])
return 'written'

--- read
-- Returns a whole group, or nil. KEYS: workspace. ARGV: retention, `turn` or `event`, its id.
local turn = ARGV[3]
if ARGV[2] == 'event' then turn = redis.call('GET', KEYS[1] .. 'event:' .. turn) end
if not turn then return false end
local group = KEYS[1] .. 'turn:' .. turn
return is_kept(group, kept_since(KEYS[1], ARGV[1])) and { turn, redis.call('HGETALL', group) }

--- list
-- The turns of a thread, newest first. KEYS: workspace. ARGV: thread, retention, before, limit.
-- Returns a list of {turn, thread, status, attempt, created, outcome, ended, asker}.
local found = {}
local members = redis.call('ZREVRANGEBYSCORE', ARGV[1] .. 'turns', '(' .. ARGV[3], kept_since(KEYS[1], ARGV[2]), 'LIMIT', 0, ARGV[4])
for _, member in ipairs(members) do
  local header = turn_header(KEYS[1] .. 'turn:' .. string.sub(member, 16))
  if header then found[#found + 1] = header end
end
return found

--- steps
-- Steps of a place's ended turns. KEYS: workspace. ARGV: retention, first and last thread by name, how many
-- turns of the first thread earlier pages checked, since, the most turns and threads to check, then the
-- prefixes of the wanted step fields.
-- Returns {the first thread of the next page, or nil on the last; how many of its turns were checked;
-- {turn, thread, created, {field, value …}} …}.
local workspace, before, remaining = KEYS[1], tonumber(ARGV[4]), tonumber(ARGV[6])
local since = kept_since(workspace, ARGV[1])
if tonumber(ARGV[5]) > tonumber(since) then since = ARGV[5] end
local function is_wanted(field)
  for at = 8, #ARGV do
    if string.sub(field, 1, #ARGV[at]) == ARGV[at] then return true end
  end
  return false
end
local function steps_of(group)
  local found = {}
  for _, field in ipairs(redis.call('HKEYS', group)) do
    if is_wanted(field) then
      found[#found + 1] = field
      found[#found + 1] = redis.call('HGET', group, field)
    end
  end
  return found
end

local found = {}
local threads = redis.call('ZRANGEBYLEX', threads_of_workspace(workspace), ARGV[2], ARGV[3], 'LIMIT', 0, ARGV[7])
for _, thread in ipairs(threads) do
  local members = redis.call('ZRANGEBYSCORE', thread .. 'turns', since, '+inf', 'LIMIT', before, remaining)
  for _, member in ipairs(members) do
    local turn = string.sub(member, 16)
    local group = workspace .. 'turn:' .. turn
    local header = redis.call('HMGET', group, 'status', 'created')
    if header[1] == 'ended' then found[#found + 1] = { turn, thread, header[2], steps_of(group) } end
  end
  remaining, before = remaining - #members, before + #members
  if remaining == 0 then return { '[' .. thread, before, found } end
  before = 0
end
local last = #threads == tonumber(ARGV[7]) and '(' .. threads[#threads]
return { last, 0, found }

--- unfinished
-- Unfinished turns, oldest first. KEYS: workspace. ARGV: retention, limit.
-- Returns a list of {turn, thread, status, attempt, created, outcome, ended, asker}.
local found, place = {}, {}
local members = redis.call('ZRANGEBYSCORE', KEYS[1] .. 'unfinished', kept_since(KEYS[1], ARGV[1]), '+inf', 'LIMIT', 0, ARGV[2])
for _, turn in ipairs(members) do
  -- Skip a turn that the server has evicted.
  local header = turn_header(KEYS[1] .. 'turn:' .. turn)
  if header then
    found[#found + 1] = header
    place[header] = redis.call('HGET', KEYS[1] .. 'turn:' .. turn, 'place')
  end
end
-- Equal times go by the order of storing.
table.sort(found, function(one, other)
  local first, second = tonumber(one[5]), tonumber(other[5])
  return first < second or (first == second and place[one] < place[other])
end)
return found
