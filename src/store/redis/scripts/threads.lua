-- Threads of a place. KEYS: workspace. ARGV: retention, first and last by name, limit.
-- Gives {the last that was looked at, or nil when there are no more, threads}.
local found, since = {}, kept_since(KEYS[1], ARGV[1])
local looked = redis.call('ZRANGEBYLEX', threads_of_workspace(KEYS[1]), ARGV[2], ARGV[3], 'LIMIT', 0, ARGV[4])
for _, thread in ipairs(looked) do
  if redis.call('ZCOUNT', thread .. 'turns', since, '+inf') + redis.call('ZCOUNT', thread .. 'imported', since, '+inf') > 0 then
    found[#found + 1] = thread
  end
end
return { #looked == tonumber(ARGV[4]) and looked[#looked], found }
