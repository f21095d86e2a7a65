-- A portion of the server's keys. ARGV: cursor, pattern, about how many are gone through.
-- Gives {next cursor, keys, how many keys the server has}.
local scanned = redis.call('SCAN', ARGV[1], 'MATCH', ARGV[2], 'COUNT', ARGV[3])
return { scanned[1], scanned[2], redis.call('DBSIZE') }
