/** A council that has answered once, and what followed. */

import type { Reply } from '../../../commands/command.ts';
import { readPastTurn } from '../../../src/council/past-turn.ts';
import type { Store } from '../../../src/store/store.ts';
import { answer, scriptedModels, verdict, wholeScript } from '../../council/scripted-council.ts';
import type { Line } from '../../fakes/scripted-model.ts';
import { type BotChanges, question, startBot, type TestBot } from '../bot-fixture.ts';
import { here, member, textOf } from '../commanding.ts';

export const suggestions = ['What about Windows?', 'Who would do it?'];
export const suggesting = JSON.stringify({ ...JSON.parse(verdict), next_questions: suggestions });
export const another = { ...member, id: 'u2', name: 'Otto' };

/** The whole council has answered once; what Ada says after that, by call. */
export async function concluded(
  more: readonly Line[] = [],
  changes: BotChanges = {},
  chair: readonly Line[] = [suggesting],
  store?: Store,
) {
  const sages = { ...wholeScript.sages, ada: [answer('Ada says yes.'), ...more] };
  const models = scriptedModels({ ...wholeScript, sages, chair });
  const started = await startBot(models, changes, store);
  const asked = await started.bot.ask(question);
  if (asked.status !== 'accepted') throw new Error('It was not taken.');
  await started.idle();
  return { ...started, models, turnId: asked.turnId };
}

export async function turnsOf({ store }: Pick<TestBot, 'store'>) {
  const headers = await store.turns.list(here.threadId, { limit: 20 });
  const records = await Promise.all(headers.map((header) => store.turns.read(header)));
  return records.flatMap((record) => (record ? [{ ...record, past: readPastTurn(record) }] : []));
}

export function textsOf(replies: readonly Reply[]): readonly string[] {
  return replies.map((reply) => textOf(reply)).toSorted();
}
