--- append
-- Imports messages into a thread; known ids stay unchanged.
-- KEYS: workspace. ARGV: thread, call, then id, kind and turn, role and status, created, JSON of each message.
local thread, call = ARGV[1], ARGV[2]
for at = 3, #ARGV, 5 do
  local id, owner, role_and_status, created = ARGV[at], ARGV[at + 1], ARGV[at + 2], ARGV[at + 3]
  if redis.call('HEXISTS', thread .. 'ids', id) == 0 then
    local kind, turn = string.sub(owner, 1, 1), string.sub(owner, 2)
    note_privacy(thread, role_and_status, created, call)
    add_message(thread, kind, turn, id, role_and_status, created, next_place(thread), ARGV[at + 4], call)
  end
end
return 'written'

--- recent
-- The last interactions of a thread, newest first.
-- KEYS: workspace. ARGV: thread, retention, limit, most answers, whether to exclude a turn (1 or 0), that turn,
-- before.
-- Returns a list of {question, verdict or nil, messages}, each message as {id, kind and turn, value}. Turns come
-- with all their messages, in no order; imported questions with their answers, in the thread's order.
local thread, limit, most_answers = ARGV[1], tonumber(ARGV[3]), tonumber(ARGV[4])
local since = kept_since(KEYS[1], ARGV[2])
local questions, messages = thread .. 'questions', thread .. 'messages'

local function group_messages(kind, turn)
  local group, found, verdict, latest = group_of(thread, kind, turn), {}, false, -1
  for _, name in ipairs(redis.call('HKEYS', group)) do
    if string.sub(name, 1, 2) == 'm:' then
      local id = string.sub(name, 3)
      local owner_kind, owner = owner_of(thread, id)
      if owner_kind then found[#found + 1] = { id, owner_kind .. owner, redis.call('HGET', group, name) } end
    elseif kind == 't' and string.sub(name, 1, 13) == 's:["verdict",' then
      local order, json = string.match(redis.call('HGET', group, name), '^(%d+) (.*)$')
      if tonumber(order) > latest then latest, verdict = tonumber(order), json end
    end
  end
  return found, verdict
end

-- The answers to an imported question: those before the next question.
local function answers_after(member)
  local after = redis.call('ZRANK', questions, member) + 1
  local next_question = redis.call('ZRANGE', questions, after, after)[1]
  local first = redis.call('ZRANK', messages, member) + 1
  local last = (next_question and redis.call('ZRANK', messages, next_question) or redis.call('ZCARD', messages)) - 1
  local found = {}
  while first <= last and #found < most_answers do
    local upto = math.min(last, first + most_answers - 1)
    for _, answer in ipairs(redis.call('ZRANGE', messages, first, upto)) do
      local id = string.sub(answer, 16)
      local value = redis.call('HGET', thread .. 'ids', id) == 'i' and redis.call('GET', thread .. 'message:' .. id)
      if value and string.sub(value, 1, 2) == 'ac' and #found < most_answers then
        found[#found + 1] = { id, 'i', value }
      end
    end
    first = upto + 1
  end
  return found
end

local function is_included(kind, turn)
  if ARGV[5] == '1' and kind ~= 'i' and turn == ARGV[6] then return false end
  if kind ~= 't' then return true end
  local group = group_of(thread, kind, turn)
  return redis.call('HGET', group, 'status') == 'ended' and is_kept(group, since)
end

local found, first = {}, 0
while #found < limit do
  local members = redis.call('ZREVRANGEBYSCORE', questions, '(' .. ARGV[7], since, 'LIMIT', first, limit)
  if #members == 0 then break end
  first = first + #members
  for _, member in ipairs(members) do
    local id = string.sub(member, 16)
    local kind, turn = owner_of(thread, id)
    local value = kind and read_message(thread, kind, turn, id)
    if #found < limit and value and is_included(kind, turn) then
      local answers, verdict
      if kind == 'i' then answers, verdict = answers_after(member), false
      else answers, verdict = group_messages(kind, turn) end
      local question = { id, kind .. turn, value }
      found[#found + 1] = { question, verdict, answers }
    end
  end
end
return found

--- page
-- Messages of a thread, newest first. KEYS: workspace. ARGV: thread, retention, before, limit.
-- Returns a list of {id, kind and turn, value}.
local workspace, thread, limit = KEYS[1], ARGV[1], tonumber(ARGV[4])
local since = kept_since(workspace, ARGV[2])
local found, offset = {}, 0
while #found < limit do
  local members = redis.call('ZREVRANGEBYSCORE', thread .. 'messages', '(' .. ARGV[3], since, 'LIMIT', offset, limit)
  if #members == 0 then break end
  offset = offset + #members
  for _, member in ipairs(members) do
    local id = string.sub(member, 16)
    local kind, turn = owner_of(thread, id)
    -- A turn may expire before its last message.
    if kind and (kind ~= 't' or is_kept(workspace .. 'turn:' .. turn, since)) and #found < limit then
      local value = read_message(thread, kind, turn, id)
      if value then found[#found + 1] = { id, kind .. turn, value } end
    end
  end
end
return found

--- threads
-- Threads of a place. KEYS: workspace. ARGV: retention, first and last by name, limit.
-- Returns {the last thread checked, or nil on the last page; threads}.
local found, since = {}, kept_since(KEYS[1], ARGV[1])
local checked = redis.call('ZRANGEBYLEX', threads_of_workspace(KEYS[1]), ARGV[2], ARGV[3], 'LIMIT', 0, ARGV[4])
for _, thread in ipairs(checked) do
  if redis.call('ZCOUNT', thread .. 'turns', since, '+inf') + redis.call('ZCOUNT', thread .. 'imported', since, '+inf') > 0 then
    found[#found + 1] = thread
  end
end
return { #checked == tonumber(ARGV[4]) and checked[#checked], found }
