-- The turns that have not ended, oldest first. KEYS: unfinished. ARGV: kept since, limit.
-- Gives one {group, status, attempt, created, outcome, ended, who asked} for each.
local found = {}
local members = redis.call('ZRANGEBYSCORE', KEYS[1], ARGV[1], '+inf', 'LIMIT', 0, ARGV[2])
for _, group in ipairs(members) do
  local header = redis.call('HMGET', group, 'status', 'attempt', 'created', 'outcome', 'ended', 'asked_by')
  -- One that the server has thrown away can't be finished, and keeps none from being found.
  if header[1] then
    found[#found + 1] = { group, header[1], header[2], header[3], header[4], header[5], header[6] }
  end
end
return found
