-- Writes all that has finished, or nothing.
-- KEYS: workspace. ARGV: thread, turn, retention, call, attempt, outcome, ended (both empty: it goes
-- on), then three lists, each after its length: messages (id, role and status, created, JSON), steps
-- (field, JSON), usage (field, JSON).
-- Gives 'written', 'superseded', or the id of a message that another one has.
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
-- The same call again, because its answer was lost on the way.
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
