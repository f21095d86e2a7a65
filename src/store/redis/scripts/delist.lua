-- Takes a workspace out of the list of workspaces, unless somebody has put it there since.
-- KEYS: workspaces. ARGV: workspace, the number that it has if nobody has. Gives 1 when it is out.
if redis.call('ZSCORE', KEYS[1] .. 'list', ARGV[1]) ~= ARGV[2] then return 0 end
return redis.call('ZREM', KEYS[1] .. 'list', ARGV[1])
