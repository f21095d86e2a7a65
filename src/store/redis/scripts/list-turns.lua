-- The turns of a thread, newest first. KEYS: workspace. ARGV: thread, retention, before, limit.
-- Gives one {turn, thread, status, attempt, created, outcome, ended, who asked} for each.
local found = {}
local members = redis.call('ZREVRANGEBYSCORE', ARGV[1] .. 'turns', '(' .. ARGV[3], kept_since(KEYS[1], ARGV[2]), 'LIMIT', 0, ARGV[4])
for _, member in ipairs(members) do
  local header = turn_header(KEYS[1] .. 'turn:' .. string.sub(member, 16))
  if header then found[#found + 1] = header end
end
return found
