-- What the scripts that store records as they were begin with, behind the prelude.

-- What is stored later comes after what is stored here.
local function keep_place(thread, place)
  local last = tonumber(redis.call('GET', thread .. 'places') or '0')
  if last <= tonumber(place) then redis.call('SET', thread .. 'places', string.format('%d', tonumber(place) + 1)) end
end

-- Takes up what was remembered elsewhere, with the number that it had there.
local function restore_standing(thread, what, id, change, is_open, is_channel_private, call)
  if change == '' then return end
  local _, channel = places_of(thread)
  local clock, member = memory_clock(thread), thread .. id
  local own_set, channel_set, workspace_set = memory_sets(thread, what)
  redis.call('HSETNX', clock, 'epoch', call)
  if tonumber(redis.call('HGET', clock, 'change') or '0') < tonumber(change) then
    redis.call('HSET', clock, 'change', change)
  end
  if is_channel_private == '1' then redis.call('HSET', clock, 'private:' .. channel, '1') end
  local added = redis.call('ZADD', own_set, change, member)
  redis.call('ZADD', channel_set, change, member)
  trim(channel_set)
  if is_open == '1' then
    redis.call('ZADD', workspace_set, change, member)
    trim(workspace_set)
  end
  redis.call('HINCRBY', clock, 'count', added - trim(own_set))
end
