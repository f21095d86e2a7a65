-- Adds a step from outside the turn. KEYS: workspace. ARGV: retention, turn, field, JSON. Gives
-- 'written' or 'absent'.
local group = KEYS[1] .. 'turn:' .. ARGV[2]
if not is_kept(group, kept_since(KEYS[1], ARGV[1])) then return 'absent' end
put_step(group, ARGV[3], ARGV[4])
return 'written'
