-- KEYS: workspace. ARGV: the workspace's number, call, for how long the call is remembered in
-- milliseconds, day, cost, the scopes. Gives 'written' or 'unlisted'.
local workspace = KEYS[1]
if not is_listed(workspace, ARGV[1]) then return 'unlisted' end
-- The same call again, because its answer was lost on the way, is counted once.
if redis.call('SET', workspace .. 'spent:' .. ARGV[2], '1', 'NX', 'PX', ARGV[3]) then
  for index = 6, #ARGV do add_spending(workspace, ARGV[index], ARGV[4], ARGV[5]) end
end
return 'written'
