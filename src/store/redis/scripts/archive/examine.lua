--- key
-- Looks for what does not fit together under a key, a portion at a time.
-- KEYS: workspace. ARGV: key, where to go on (`0` at first), whether to mend (1 or 0), what to look for: `lacking`
-- what is in no list, or `left`, what lists still have. The one comes before the other: what a list
-- lacks would else be taken for gone.
-- Gives {where to go on, or `end`, list of {problem, record}}.
local workspace, key, from = KEYS[1], ARGV[1], ARGV[2]
local mends, wants_lacking, at_once = ARGV[3] == '1', ARGV[4] == 'lacking', 200
local threads, unfinished = workspace .. 'threads', workspace .. 'unfinished'
local found, removed = {}, 0

local function report(problem, record, mend)
  found[#found + 1] = { problem, record }
  if mends then mend() end
end

local function put(problem, set, score, member, record)
  if redis.call('ZSCORE', set, member) then return end
  report(problem, record, function() redis.call('ZADD', set, score, member) end)
end

local function drop(problem, member)
  report(problem, key .. ' ' .. member, function()
    removed = removed + redis.call('ZREM', key, member)
  end)
end

-- What an index of messages should have of a message that is there.
local function index_message(thread, id, owner, value)
  local head = message_head(value)
  local member, record = head.place .. id, thread .. id
  if redis.call('HGET', thread .. 'ids', id) ~= owner then
    report('a message whose id is nobody’s', record, function() redis.call('HSET', thread .. 'ids', id, owner) end)
  end
  put('a message in no list', thread .. 'messages', head.created, member, record)
  put('a thread that its workspace does not list', threads_of_workspace(thread), 0, thread, thread)
  if head.role == 'h' then put('a question in no list', thread .. 'questions', head.created, member, record) end
  if string.sub(owner, 1, 1) ~= 't' then
    put('an imported message in no list', thread .. 'imported', head.created, member, record)
    put('a thread in no list', threads, head.created, thread, thread)
  end
end

-- Messages of a turn elsewhere, which were imported.
local function examine_imported(thread, turn)
  for _, name in ipairs(redis.call('HKEYS', key)) do
    index_message(thread, string.sub(name, 3), 'x' .. turn, redis.call('HGET', key, name))
  end
end

local function examine_group()
  local thread, turn = thread_of(key), turn_of(key)
  local facts = redis.call('HMGET', key, 'status', 'created', 'place', 'event')
  local status, created, place, event = facts[1], facts[2], facts[3], facts[4]
  put('a turn in no list', thread .. 'turns', created, place .. turn, key)
  put('a thread in no list', threads, created, thread, thread)
  local pointer = workspace .. 'event:' .. event
  if redis.call('EXISTS', pointer) == 0 then
    report('a turn that its event does not find', pointer, function() redis.call('SET', pointer, turn) end)
  end
  if status ~= 'ended' then
    put('a turn that has not ended, and nobody would take up', unfinished, created, turn, key)
  elseif redis.call('ZSCORE', unfinished, turn) then
    report('a turn that has ended, but is listed as unfinished', key, function() redis.call('ZREM', unfinished, turn) end)
  end
  for _, name in ipairs(redis.call('HKEYS', key)) do
    if string.sub(name, 1, 2) == 'm:' then
      local id, value = string.sub(name, 3), redis.call('HGET', key, name)
      if status == 'ended' and message_head(value).status == 'p' then
        report('an answer that is still pending, of a turn that has ended', thread .. id, function()
          remove_message(thread, 't', turn, id)
          -- The number of fields tells which step came first.
          redis.call('HSET', key, 'x:' .. id, '')
        end)
      else
        index_message(thread, id, 't' .. turn, value)
      end
    end
  end
end

local function examine_pointer()
  if redis.call('EXISTS', workspace .. 'turn:' .. redis.call('GET', key)) == 0 then
    report('it leads to a turn that is gone', key, function() redis.call('DEL', key) end)
  end
end

-- Goes through a sorted set; what is taken out of it moves the rest up.
local function each_member(examine)
  local members = redis.call('ZRANGE', key, from, from + at_once - 1)
  for _, member in ipairs(members) do examine(member) end
  return #members < at_once and 'end' or string.format('%d', from + #members - removed)
end

local function each_field(examine)
  local scanned = redis.call('HSCAN', key, from, 'COUNT', at_once)
  for at = 1, #scanned[2], 2 do
    local name, value = scanned[2][at], scanned[2][at + 1]
    local problem = examine(name, value)
    if problem then report(problem, key .. ' ' .. name, function() redis.call('HDEL', key, name) end) end
  end
  return scanned[1] == '0' and 'end' or scanned[1]
end

local function is_there(thread, what, id)
  if what == 'shards' then return redis.call('HEXISTS', thread .. 'shards', id) == 1 end
  local kind, turn = owner_of(thread, id)
  return kind and read_message(thread, kind, turn, id)
end

local function examine_remembered(what)
  return each_member(function(member)
    local thread, id = split_member(member)
    if is_there(thread, what, id) then return end
    report('it is remembered, but gone', member, function()
      local before = redis.call('ZCARD', key)
      unremember(thread, what, id)
      redis.call('ZREM', key, member)
      removed = removed + before - redis.call('ZCARD', key)
    end)
  end)
end

local function examine_spending(scope)
  local oldest
  for _, day in ipairs(redis.call('HKEYS', key)) do
    oldest = math.min(oldest or tonumber(day), tonumber(day))
  end
  if oldest then put('spending in no list', workspace .. 'spending', oldest, scope, key) end
end

-- What is there, but in no list.
local function examine_lacking()
  local thread, name = split_member(key)
  if not thread then
    name = string.sub(key, #workspace + 1)
    if string.sub(name, 1, 5) == 'turn:' then examine_group() end
    if string.sub(name, 1, 9) == 'spending:' then examine_spending(string.sub(name, 10)) end
  elseif string.sub(name, 1, 5) == 'turn:' then
    examine_imported(thread, string.sub(name, 6))
  elseif string.sub(name, 1, 8) == 'message:' then
    index_message(thread, string.sub(name, 9), 'i', redis.call('GET', key))
  elseif name == 'shards' then
    return each_field(function(id, value)
      local ages_from = decode(string.match(value, ' (.*)$')).agesFrom
      for _, source in ipairs(string.sub(value, 1, 1) == '-' and {} or shard_sources(value)) do
        local is_known = redis.call('HGET', thread .. 'sharded', source) == id
        for _, before in ipairs(shards_before(thread, source)) do is_known = is_known or before == id end
        if not is_known then
          report('a superseded shard that its messages do not know', thread .. id, function() note_before(thread, source, id) end)
        end
      end
      put('a shard in no list', thread .. 'shard-ages', ages_from, id, thread .. id)
      put('a thread in no list', threads, ages_from, thread, thread)
    end)
  end
  return 'end'
end

-- By the key's name behind its thread: what is in it, but gone.
local of_thread = {
  turns = function(thread)
    return each_member(function(member)
      local group = workspace .. 'turn:' .. string.sub(member, 16)
      if redis.call('EXISTS', group) == 0 then drop('a turn that is gone', member) end
    end)
  end,
  ids = function(thread)
    return each_field(function(id)
      return not is_there(thread, 'messages', id) and 'the id of a message that is gone'
    end)
  end,
  sharded = function(thread)
    return each_field(function(id)
      return not is_there(thread, 'messages', id) and 'a message of a shard, and gone'
    end)
  end,
  vectors = function(thread)
    return each_field(function(field)
      local what = string.sub(field, 1, 1) == 's' and 'shards' or 'messages'
      return not is_there(thread, what, string.sub(field, 3)) and 'a vector of what is gone'
    end)
  end,
  ['shard-ages'] = function(thread)
    return each_member(function(id)
      if not is_there(thread, 'shards', id) then drop('a shard that is gone', id) end
    end)
  end,
}
of_thread['sharded-before'] = of_thread.sharded
for _, name in ipairs({ 'messages', 'questions', 'imported' }) do
  of_thread[name] = function(thread)
    return each_member(function(member)
      local id = string.sub(member, 16)
      if is_there(thread, 'messages', id) then return end
      drop('a message that is gone', member)
      if mends then remove_message(thread, 'i', '', id) end
    end)
  end
end
for _, what in ipairs({ 'messages', 'shards' }) do
  of_thread['remembered-' .. what] = function() return examine_remembered(what) end
end

-- By the key's name behind its workspace, which may be that of the claims.
local of_workspace = {
  calls = function()
    return each_field(function(claim)
      return not redis.call('ZSCORE', workspace .. 'expiry', claim) and 'a claim that would never expire'
    end)
  end,
  unfinished = function()
    return each_member(function(turn)
      if redis.call('EXISTS', workspace .. 'turn:' .. turn) == 0 then drop('a turn that is gone', turn) end
    end)
  end,
  ['thread-names'] = function()
    return each_member(function(member)
      if redis.call('EXISTS', member .. 'messages') == 0 then drop('a thread of which nothing is left', member) end
    end)
  end,
  threads = function()
    return each_member(function(member)
      if redis.call('EXISTS', member .. 'turns', member .. 'imported', member .. 'shard-ages') == 0 then
        drop('a thread of which nothing is left', member)
      end
    end)
  end,
  spending = function()
    return each_member(function(scope)
      if redis.call('EXISTS', key .. ':' .. scope) == 0 then drop('spending that is gone', scope) end
    end)
  end,
}

local function examine_left()
  local thread, name = split_member(key)
  if thread then return of_thread[name] and of_thread[name](thread) or 'end' end
  name = string.sub(key, #workspace + 1)
  if of_workspace[name] then return of_workspace[name]() end
  local what = string.match(name, '^channel%-(%a+):') or string.match(name, '^workspace%-(%a+)$')
  if what then return examine_remembered(what) end
  if string.sub(name, 1, 6) == 'event:' then examine_pointer() end
  return 'end'
end

if redis.call('EXISTS', key) == 0 then return { 'end', found } end
local next_from = (wants_lacking and examine_lacking or examine_left)()
return { next_from, found }

--- workspaces
-- KEYS: workspaces. ARGV: workspaces. Gives those that are not in the list of workspaces.
local lacking = {}
for _, workspace in ipairs(ARGV) do
  if not redis.call('ZSCORE', KEYS[1] .. 'list', workspace) then lacking[#lacking + 1] = workspace end
end
return lacking
