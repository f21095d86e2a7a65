-- Puts a workspace into the list of workspaces, whether or not it is there, with a number that none
-- had before. KEYS: workspaces. ARGV: workspace. Gives the number.
local number = redis.call('INCR', KEYS[1] .. 'count')
redis.call('ZADD', KEYS[1] .. 'list', number, ARGV[1])
return number
