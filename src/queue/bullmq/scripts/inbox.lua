-- Returns the position of a thread's next turn among all that wait; the lowest goes first. The distance
-- between a channel's turns is the number of waiting channels in its workspace, so all workspaces advance at
-- the same pace, whatever their number of turns and channels. No channel starves, because positions only
-- grow. A position that isn't taken is returned again.
local function next_position(clock, waiting, workspace, channel, last_position, is_taken)
  local epoch = redis.call('HGET', clock, 'epoch') or '0'
  local now = tonumber(redis.call('HGET', clock, 'now') or '0')
  if now > last_position / 2 and redis.call('EXISTS', waiting) == 0 then
    -- Nothing is waiting, so restarting the numbers overtakes nobody.
    epoch, now = redis.call('HINCRBY', clock, 'epoch', 1), 0
    redis.call('HSET', clock, 'now', 0)
  end
  local shares = clock .. ':' .. epoch .. ':' .. workspace
  redis.call('ZREMRANGEBYSCORE', shares, '-inf', now)
  local last = tonumber(redis.call('ZSCORE', shares, channel) or now)
  if last == now then redis.call('ZADD', shares, now, channel) end
  local position = math.min(last_position, last + redis.call('ZCARD', shares))
  if is_taken then redis.call('ZADD', shares, position, channel) end
  redis.call('PEXPIRE', shares, 3600000)
  return position
end

--- push
-- Appends turns to their thread's inbox, except those already in it or dead.
-- KEYS: inbox, threads, dead, clock, waiting, heartbeat. ARGV: thread, now, workspace, channel, last position,
-- platform, then the turns in order.
-- Returns the thread's position, or nil if none of its turns waits: those given are dead.
local had = redis.call('LLEN', KEYS[1])
for index = 7, #ARGV do
  local turn = ARGV[index]
  local is_dead = redis.call('HEXISTS', KEYS[3], turn) == 1
  if not is_dead and not redis.call('LPOS', KEYS[1], turn) then redis.call('RPUSH', KEYS[1], turn) end
end
if redis.call('EXISTS', KEYS[1]) == 0 then return false end
redis.call('ZADD', KEYS[2], 'NX', ARGV[2], ARGV[1])
-- A platform that no process has served yet counts as silent from now on.
redis.call('ZADD', KEYS[6], 'NX', redis.call('TIME')[1], ARGV[6])
-- A turn behind another of its thread takes a position when that one has ended.
local is_first = had == 0
return next_position(KEYS[4], KEYS[5], ARGV[3], ARGV[4], tonumber(ARGV[5]), is_first)

--- claim
-- Returns the thread's first turn, or nil if the worker doesn't hold the lock of the thread's job.
-- KEYS: inbox, threads, lock, clock. ARGV: thread, the worker's token, the thread's position.
if redis.call('GET', KEYS[3]) ~= ARGV[2] then return false end
local turn = redis.call('LINDEX', KEYS[1], 0)
if not turn then
  redis.call('ZREM', KEYS[2], ARGV[1])
  return false
end
if tonumber(ARGV[3]) > tonumber(redis.call('HGET', KEYS[4], 'now') or '0') then
  redis.call('HSET', KEYS[4], 'now', ARGV[3])
end
return turn

--- settle
-- Removes an ended turn from the inbox, if the worker holds the lock of the thread's job: after losing it,
-- another worker may be running the turn.
-- KEYS: inbox, threads, lock, dead, clock, waiting. ARGV: thread, the worker's token, turn, workspace, channel, last
-- position, the turn's entry in the dead list (empty: it isn't dead).
-- Returns the position of the thread's next turn, 0 if none waits, nil if the worker has lost the job.
-- Idempotent, so it can be repeated after a lost reply.
if redis.call('GET', KEYS[3]) ~= ARGV[2] then return false end
redis.call('LREM', KEYS[1], 1, ARGV[3])
if ARGV[7] ~= '' then redis.call('HSET', KEYS[4], ARGV[3], ARGV[7]) end
if redis.call('EXISTS', KEYS[1]) == 0 then
  redis.call('ZREM', KEYS[2], ARGV[1])
  return 0
end
return next_position(KEYS[5], KEYS[6], ARGV[4], ARGV[5], tonumber(ARGV[6]), true)

--- beat
-- Notes which platforms' turns a living process runs.
-- KEYS: heartbeat. ARGV: after how many seconds without a note a platform is silent, the prefix of BullMQ's queues,
-- then the platforms. Returns since when the server has kept its data, and the silent platforms with jobs.
local now = tonumber(redis.call('TIME')[1])
redis.call('ZADD', KEYS[1], 'NX', now, ':since')
for index = 3, #ARGV do redis.call('ZADD', KEYS[1], now, ARGV[index]) end
local silent = {}
for _, platform in ipairs(redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', now - ARGV[1])) do
  local queue = ARGV[2] .. platform
  local jobs = redis.call('EXISTS', queue .. ':prioritized', queue .. ':delayed', queue .. ':active')
  if jobs > 0 then table.insert(silent, platform) end
end
return {redis.call('ZSCORE', KEYS[1], ':since'), silent}
