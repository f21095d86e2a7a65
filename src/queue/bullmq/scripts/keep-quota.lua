-- Holds on to what the holder has, or with a lease of 0 gives it back.
-- KEYS: what the holder has. ARGV: what the keys of things begin with, holder, lease.
local moment = redis.call('TIME')
local now = moment[1] * 1000 + math.floor(moment[2] / 1000)
local lease = tonumber(ARGV[3])
for _, name in ipairs(redis.call('SMEMBERS', KEYS[1])) do
  local thing = ARGV[1] .. name
  if lease == 0 then redis.call('HDEL', thing, ARGV[2])
  else
    local held = redis.call('HGET', thing, ARGV[2])
    if held then
      redis.call('HSET', thing, ARGV[2], string.match(held, '^%S+') .. ' ' .. string.format('%d', now + lease))
      if redis.call('PTTL', thing) < lease then redis.call('PEXPIRE', thing, lease) end
    end
  end
end
if lease == 0 then redis.call('DEL', KEYS[1]) else redis.call('PEXPIRE', KEYS[1], lease) end
return 'kept'
