-- The turns of a thread, newest first. KEYS: thread. ARGV: kept since, before, limit.
-- Gives one {group, status, attempt, created, outcome, ended, who asked} for each.
local found = {}
local members = redis.call('ZREVRANGEBYSCORE', KEYS[1] .. 'turns', '(' .. ARGV[2], ARGV[1], 'LIMIT', 0, ARGV[3])
for _, member in ipairs(members) do
  local group = KEYS[1] .. 'turn:' .. string.sub(member, 16)
  local header = redis.call('HMGET', group, 'status', 'attempt', 'created', 'outcome', 'ended', 'asked_by')
  if header[1] then
    found[#found + 1] = { group, header[1], header[2], header[3], header[4], header[5], header[6] }
  end
end
return found
