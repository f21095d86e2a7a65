-- KEYS: workspace. ARGV: call, id, kind and turn, role and status, created, JSON, place, shard, change,
-- open (1 or 0), channel private (1 or 0), vector, thread; what it has not is empty.
local thread, id, role_and_status, created, place = ARGV[13], ARGV[2], ARGV[4], ARGV[5], ARGV[7]
local kind, turn = string.sub(ARGV[3], 1, 1), string.sub(ARGV[3], 2)
write_message(thread, kind, turn, id, message_value(role_and_status, created, place, ARGV[6]))
redis.call('HSET', thread .. 'ids', id, ARGV[3])
redis.call('ZADD', thread .. 'messages', created, place .. id)
if string.sub(role_and_status, 1, 1) == 'h' then redis.call('ZADD', thread .. 'questions', created, place .. id) end
if kind ~= 't' then
  redis.call('ZADD', thread .. 'imported', created, place .. id)
  redis.call('ZADD', KEYS[1] .. 'threads', 'LT', created, thread)
end
if ARGV[8] ~= '' then redis.call('HSET', thread .. 'sharded', id, ARGV[8]) end
if ARGV[12] ~= '' then redis.call('HSET', thread .. 'vectors', 'm:' .. id, ARGV[12]) end
restore_standing(thread, 'messages', id, ARGV[9], ARGV[10], ARGV[11], ARGV[1])
keep_place(thread, place)
return 'written'
