import { describe, expect, test } from 'vitest';
import { depthOf } from '../../src/council/council.ts';
import type { Depth } from '../../src/domain/asking.ts';
import {
  only,
  run,
  type Script,
  scriptedModels,
  seating,
  wholeScript,
} from './scripted-council.ts';

/** A turn that the moderator may say the depth of; without reviews no one is asked for one. */
function scriptWith(depth: Depth): Script {
  const said = { ...JSON.parse(seating(['ada', 'ben', 'cleo', 'dan'])), depth };
  const { reviews = {}, ...script } = wholeScript;
  return {
    ...script,
    moderator: [JSON.stringify(said)],
    ...(depth === 'quick' ? {} : { reviews }),
  };
}

describe('the depth that the moderator says', () => {
  test.each(['quick', 'standard'] as const)('is %s, and the turn goes as deep', async (depth) => {
    const models = scriptedModels(scriptWith(depth));
    const events = await run(models, { council: { depth: 'auto' } });
    expect(models.unsaid()).toBe(0);
    expect(only(events, 'seated')[0]?.seated.depth).toBe(depth);
    const [system] = models.moderator.requests[0]?.messages ?? [];
    expect(system?.content).toContain('"depth"');
  });

  test('is not asked for where the depth is set', async () => {
    const models = scriptedModels(wholeScript);
    const events = await run(models);
    expect(only(events, 'seated')[0]?.seated.depth).toBeUndefined();
    const [call] = models.moderator.requests;
    expect(call?.messages[0]?.content).not.toContain('"depth"');
    expect(JSON.stringify(call?.replySchema)).not.toContain('"depth"');
  });

  test.each([
    ['auto', 'standard', undefined, 'deep', 'standard'],
    ['auto', 'auto', undefined, 'deep', 'deep'],
    ['auto', 'auto', 'quick', 'deep', 'quick'],
    ['auto', 'deep', undefined, 'quick', 'quick'],
    ['deep', 'quick', undefined, undefined, 'deep'],
    [undefined, 'auto', undefined, undefined, 'standard'],
    [undefined, 'quick', undefined, undefined, 'quick'],
  ] as const)(
    'asked as %s where the channel is set to %s and money is held for %s: said %s, it is %s',
    (depth, ofChannel, depthUpTo, said, expected) => {
      const request = { ...(depth && { depth }), ...(depthUpTo && { depthUpTo }) };
      expect(depthOf(request, ofChannel, said ? { depth: said } : {})).toBe(expected);
    },
  );
});
