-- The turns that have not ended, oldest first. KEYS: workspace. ARGV: retention, limit.
-- Gives one {turn, thread, status, attempt, created, outcome, ended, who asked} for each.
local found, place = {}, {}
local members = redis.call('ZRANGEBYSCORE', KEYS[1] .. 'unfinished', kept_since(KEYS[1], ARGV[1]), '+inf', 'LIMIT', 0, ARGV[2])
for _, turn in ipairs(members) do
  -- One that the server has thrown away can't be finished, and keeps none from being found.
  local header = turn_header(KEYS[1] .. 'turn:' .. turn)
  if header then
    found[#found + 1] = header
    place[header] = redis.call('HGET', KEYS[1] .. 'turn:' .. turn, 'place')
  end
end
-- Of those of one moment, the one that was stored first.
table.sort(found, function(one, other)
  local first, second = tonumber(one[5]), tonumber(other[5])
  return first < second or (first == second and place[one] < place[other])
end)
return found
