-- KEYS: claims. ARGV: now, offset, limit. Gives {how many were looked at, {claim, when it expires} for each
-- of them that has not expired}.
local found = {}
local claims = redis.call('ZRANGE', KEYS[1] .. 'expiry', ARGV[2], ARGV[2] + ARGV[3] - 1, 'WITHSCORES')
for at = 1, #claims, 2 do
  if tonumber(claims[at + 1]) > tonumber(ARGV[1]) then found[#found + 1] = { claims[at], claims[at + 1] } end
end
return { #claims / 2, found }
