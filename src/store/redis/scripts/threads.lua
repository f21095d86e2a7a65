-- Threads of a place. KEYS: threads of its workspace. ARGV: kept since, first and last by name, limit.
-- Gives {the last that was looked at, or nil when there are no more, threads}.
local found = {}
local looked = redis.call('ZRANGEBYLEX', KEYS[1], ARGV[2], ARGV[3], 'LIMIT', 0, ARGV[4])
for _, thread in ipairs(looked) do
  if redis.call('ZCOUNT', thread .. 'turns', ARGV[1], '+inf') + redis.call('ZCOUNT', thread .. 'imported', ARGV[1], '+inf') > 0 then
    found[#found + 1] = thread
  end
end
return { #looked == tonumber(ARGV[4]) and looked[#looked], found }
