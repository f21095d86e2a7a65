-- Messages of a thread, newest first. KEYS: thread. ARGV: kept since, before, limit.
-- Gives one {id, kind and turn, value} for each.
local thread, limit = KEYS[1], tonumber(ARGV[3])
local found, kept_turns, offset = {}, {}, 0
while #found < limit do
  local members = redis.call('ZREVRANGEBYSCORE', thread .. 'messages', '(' .. ARGV[2], ARGV[1], 'LIMIT', offset, limit)
  if #members == 0 then break end
  offset = offset + #members
  for _, member in ipairs(members) do
    local id = string.sub(member, 16)
    local kind, turn = owner_of(thread, id)
    -- A turn may have expired before the last of its messages has.
    if kind == 't' and kept_turns[turn] == nil then
      kept_turns[turn] = is_kept(thread .. 'turn:' .. turn, ARGV[1])
    end
    if kind and (kind ~= 't' or kept_turns[turn]) and #found < limit then
      local value = read_message(thread, kind, turn, id)
      if value then found[#found + 1] = { id, kind .. turn, value } end
    end
  end
end
return found
