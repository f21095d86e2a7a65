--- enlist
-- Puts a workspace into the list of workspaces, whether or not it is there, with a number that none
-- had before. KEYS: workspaces. ARGV: workspace. Gives the number.
local number = redis.call('INCR', KEYS[1] .. 'count')
redis.call('ZADD', KEYS[1] .. 'list', number, ARGV[1])
return number

--- list
-- KEYS: workspaces. ARGV: the number to go on behind, limit. Gives {workspace and number in turn, the
-- highest number so far}.
local found = redis.call('ZRANGEBYSCORE', KEYS[1] .. 'list', '(' .. ARGV[1], '+inf', 'WITHSCORES', 'LIMIT', 0, ARGV[2])
return { found, tonumber(redis.call('GET', KEYS[1] .. 'count') or '0') }

--- leave
-- Takes note in a workspace of which nothing is left that it goes out of the list of workspaces.
-- KEYS: workspace. ARGV: the number that it has got there for this, for how long that is known in
-- milliseconds. Gives 1, or 0 when there is something by now.
local workspace = KEYS[1]
if redis.call('EXISTS', workspace .. 'threads', workspace .. 'spending', forgotten_events(workspace)) > 0 then return 0 end
-- Of a channel that is private, in which nothing was ever complete.
redis.call('DEL', memory_clock(workspace))
redis.call('SET', workspace .. 'listed', '-' .. ARGV[1], 'PX', ARGV[2])
return 1

--- delist
-- Takes a workspace out of the list of workspaces, unless it was put there again since.
-- KEYS: workspaces. ARGV: workspace, the number that it has if it was not. Gives 1 when it is out.
if redis.call('ZSCORE', KEYS[1] .. 'list', ARGV[1]) ~= ARGV[2] then return 0 end
return redis.call('ZREM', KEYS[1] .. 'list', ARGV[1])
