-- Messages of a thread, newest first. KEYS: workspace. ARGV: thread, retention, before, limit.
-- Gives one {id, kind and turn, value} for each.
local workspace, thread, limit = KEYS[1], ARGV[1], tonumber(ARGV[4])
local since = kept_since(workspace, ARGV[2])
local found, kept_turns, offset = {}, {}, 0
while #found < limit do
  local members = redis.call('ZREVRANGEBYSCORE', thread .. 'messages', '(' .. ARGV[3], since, 'LIMIT', offset, limit)
  if #members == 0 then break end
  offset = offset + #members
  for _, member in ipairs(members) do
    local id = string.sub(member, 16)
    local kind, turn = owner_of(thread, id)
    -- A turn may have expired before the last of its messages has.
    if kind == 't' and kept_turns[turn] == nil then
      kept_turns[turn] = is_kept(workspace .. 'turn:' .. turn, since)
    end
    if kind and (kind ~= 't' or kept_turns[turn]) and #found < limit then
      local value = read_message(thread, kind, turn, id)
      if value then found[#found + 1] = { id, kind .. turn, value } end
    end
  end
end
return found
