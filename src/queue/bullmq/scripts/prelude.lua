-- What every script begins with.

-- The place of a thread's next turn among all that wait: lower goes first. Each channel's turns are as
-- far apart as its workspace has channels that wait, so that workspaces go on at the same pace however
-- many turns and channels they have. Nobody is put behind for ever: places only grow. A place that is
-- not taken is given again.
local function next_place(clock, waiting, workspace, channel, last_place, is_taken)
  local epoch = redis.call('HGET', clock, 'epoch') or '0'
  local now = tonumber(redis.call('HGET', clock, 'now') or '0')
  if now > last_place / 2 and redis.call('EXISTS', waiting) == 0 then
    -- Nobody waits, so that nobody is passed over when the numbers begin anew.
    epoch, now = redis.call('HINCRBY', clock, 'epoch', 1), 0
    redis.call('HSET', clock, 'now', 0)
  end
  local shares = clock .. ':' .. epoch .. ':' .. workspace
  redis.call('ZREMRANGEBYSCORE', shares, '-inf', now)
  local last = tonumber(redis.call('ZSCORE', shares, channel) or now)
  if last == now then redis.call('ZADD', shares, now, channel) end
  local place = math.min(last_place, last + redis.call('ZCARD', shares))
  if is_taken then redis.call('ZADD', shares, place, channel) end
  redis.call('PEXPIRE', shares, 3600000)
  return place
end
