-- Takes the turn that a run has ended out of the inbox, unless another run has claimed the thread since.
-- KEYS: inbox, threads, holders, dead, clock, waiting. ARGV: thread, run, turn, workspace, channel, last
-- place, what the dead list is to keep of it (empty: it is not dead).
-- Gives the place of the thread's next turn, 0 when none waits, nil when it was not this run's to end.
-- The run stays the holder while turns wait: the same again, after a lost answer, comes to the same.
if redis.call('HGET', KEYS[3], ARGV[1]) ~= ARGV[2] then return false end
redis.call('LREM', KEYS[1], 1, ARGV[3])
if ARGV[7] ~= '' then redis.call('HSET', KEYS[4], ARGV[3], ARGV[7]) end
if redis.call('EXISTS', KEYS[1]) == 0 then
  redis.call('HDEL', KEYS[3], ARGV[1])
  redis.call('ZREM', KEYS[2], ARGV[1])
  return 0
end
return next_place(KEYS[5], KEYS[6], ARGV[4], ARGV[5], tonumber(ARGV[6]), true)
