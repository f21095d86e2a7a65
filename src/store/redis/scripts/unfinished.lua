-- The turns that have not ended, oldest first. KEYS: workspace. ARGV: retention, limit.
-- Gives one {turn, thread, status, attempt, created, outcome, ended, who asked} for each.
local found = {}
local members = redis.call('ZRANGEBYSCORE', KEYS[1] .. 'unfinished', kept_since(KEYS[1], ARGV[1]), '+inf', 'LIMIT', 0, ARGV[2])
for _, turn in ipairs(members) do
  -- One that the server has thrown away can't be finished, and keeps none from being found.
  local header = turn_header(KEYS[1] .. 'turn:' .. turn)
  if header then found[#found + 1] = header end
end
return found
