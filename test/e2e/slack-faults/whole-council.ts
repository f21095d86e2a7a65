/** A whole bot whose four sages say the same each time, one word after another. */

import { setTimeout as wait } from 'node:timers/promises';
import { commands } from '../../../commands/index.ts';
import { silentLog } from '../../../src/domain/log.ts';
import { createSlack } from '../../../src/platforms/slack/slack.ts';
import type { Store } from '../../../src/store/store.ts';
import { startBot, type TestBot } from '../../bot/bot-fixture.ts';
import { answer, ranks, scriptedModels, seating } from '../../council/scripted-council.ts';
import { unstored } from '../../platforms/slack/unstored.ts';
import { inWords, pausing } from './pausing-models.ts';
import { unplanned } from './unplanned.ts';

const answers = {
  ada: 'Ada says yes.',
  ben: 'Ben says no.',
  cleo: 'Cleo says later.',
  dan: 'Dan says in parts.',
} as const;
const wordMs = 20;

/** Where it connects, by a socket. */
export interface SlackApp {
  readonly apiUrl: string;
  readonly botToken: string;
  readonly appToken: string;
}

/** @param life - What the chair says differs from life to life, so that two verdicts would show. */
export function startWholeBot(
  { apiUrl, botToken, appToken }: SlackApp,
  store: Store,
  life: string,
): Promise<TestBot> {
  const platform = createSlack({
    access: { kind: 'socket', botToken, appToken },
    ...unstored,
    apiUrl,
    commands,
    log: silentLog,
    limits: unplanned,
  });
  const keys = Object.keys(answers);
  const ranking = ranks('Ada says yes.', 'Dan says in parts.', 'Cleo says later.', 'Ben says no.');
  const models = scriptedModels({
    moderator: [seating(keys)],
    // Each may be asked again.
    sages: Object.fromEntries(
      Object.entries(answers).map(([key, text]) => {
        const line = inWords(answer(text));
        return [key, [line, line]];
      }),
    ),
    reviews: Object.fromEntries(keys.map((key) => [key, [ranking]])),
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
  const options = { platforms: [platform], abandonedAfterMs: 0 };
  return startBot(
    pausing(models, () => wait(wordMs)),
    options,
    store,
  );
}
