--- spend
-- KEYS: workspace. ARGV: the workspace's number, call, for how long the call is remembered in
-- milliseconds, day, cost, the scopes. Gives 'written' or 'unlisted'.
local workspace = KEYS[1]
if not is_listed(workspace, ARGV[1]) then return 'unlisted' end
-- The same call again, because its answer was lost on the way, is counted once.
if redis.call('SET', workspace .. 'spent:' .. ARGV[2], '1', 'NX', 'PX', ARGV[3]) then
  for index = 6, #ARGV do add_spending(workspace, ARGV[index], ARGV[4], ARGV[5]) end
end
return 'written'

--- spent
-- KEYS: workspace. ARGV: the first day that counts, the scopes. Gives a sum for each, as text.
local sums = {}
for index = 2, #ARGV do
  local days, sum = redis.call('HGETALL', KEYS[1] .. 'spending:' .. ARGV[index]), 0
  for at = 1, #days, 2 do
    if tonumber(days[at]) >= tonumber(ARGV[1]) then sum = sum + tonumber(days[at + 1]) end
  end
  sums[index - 1] = string.format('%.17g', sum)
end
return sums
