/** A whole bot whose four sages say the same each time, one of them more than a message holds. */

import { commands } from '../../../commands/index.ts';
import { silentLog } from '../../../src/domain/log.ts';
import { createDiscord } from '../../../src/platforms/discord/discord.ts';
import type { Store } from '../../../src/store/store.ts';
import { startBot, type TestBot } from '../../bot/bot-fixture.ts';
import { answer, ranks, scriptedModels, seating } from '../../council/scripted-council.ts';

const answers = {
  ada: 'Ada says yes.',
  ben: `Ben says no. ${'It is too much. '.repeat(110)}\n\nBen says never. ${'It is a risk. '.repeat(20)}`,
  cleo: 'Cleo says later.',
  dan: 'Dan says in parts.',
} as const;

/** @param life - What the chair says differs from life to life, so that two verdicts would show. */
export function startWholeBot(
  { api, token }: { readonly api: string; readonly token: string },
  store: Store,
  life: string,
  now: () => number = Date.now,
): Promise<TestBot> {
  const platform = createDiscord({
    api,
    token,
    commands,
    // Pacing is tested elsewhere.
    limits: { calls: [], editGapMs: 20 },
    log: silentLog,
    ws: { buildIdentifyThrottler: async () => ({ waitForIdentify: async () => {} }) },
  });
  const keys = Object.keys(answers);
  const models = scriptedModels({
    moderator: [seating(keys)],
    // Each may be asked again.
    sages: Object.fromEntries(
      Object.entries(answers).map(([key, text]) => [key, [answer(text), answer(text)]]),
    ),
    reviews: Object.fromEntries(
      keys.map((key) => [
        key,
        [ranks('Ada says yes.', 'Dan says in parts.', 'Cleo says later.', 'Ben says no.')],
      ]),
    ),
    chair: [
      JSON.stringify({
        verdict: `Rewrite it in parts, says ${life}.`,
        consensus: [],
        disagreements: [],
        minority_report: '',
        confidence: 'medium',
      }),
    ],
  });
  return startBot(models, { platforms: [platform], abandonedAfterMs: 0, now }, store);
}
