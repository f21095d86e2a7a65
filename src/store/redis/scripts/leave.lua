-- Takes note in a workspace of which nothing is left that it goes out of the list of workspaces.
-- KEYS: workspace. ARGV: the number that it has got there for this, for how long that is known in
-- milliseconds. Gives 1, or 0 when there is something by now.
local workspace = KEYS[1]
if redis.call('EXISTS', workspace .. 'threads', workspace .. 'spending', forgotten_events(workspace)) > 0 then return 0 end
-- Of a channel that is private, in which nothing was ever complete.
redis.call('DEL', memory_clock(workspace))
redis.call('SET', workspace .. 'listed', '-' .. ARGV[1], 'PX', ARGV[2])
return 1
