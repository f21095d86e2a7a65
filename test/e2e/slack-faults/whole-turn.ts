/** A turn of four sages in Slack, and whether all of it is there: each message once, in order. */

import { expect } from 'vitest';
import type { CouncilModels } from '../../../src/council/council.ts';
import { scopeNames } from '../../../src/platforms/slack/connection/identity.ts';
import { scriptedModels, wholeScript } from '../../council/scripted-council.ts';
import {
  type CouncilInSlack,
  type CouncilOptions,
  type SlackWorld,
  startCouncil,
} from '../../platforms/slack/slack-world.ts';
import { unplanned } from './unplanned.ts';

export const question = 'Should we rewrite the engine?';

/** A workspace with the bot, whose four sages answer at once. */
export function startWhole(
  options: CouncilOptions = {},
  models: CouncilModels = scriptedModels(wholeScript),
): Promise<CouncilInSlack> {
  return startCouncil(models, { scopes: scopeNames, pacing: unplanned, ...options });
}

/** Where the app has put someone’s question for all to see. */
export function isQuestion({ text }: { readonly text: string }): boolean {
  return text.includes(' asks the council');
}

/** What the app said in a thread, for all to see, but for the question. */
export function saidIn({ slack, channel }: SlackWorld, thread: string) {
  return slack
    .thread(channel, thread)
    .filter((message) => message.isApp && !isQuestion(message))
    .filter(({ ephemeralFor }) => ephemeralFor === undefined);
}

/** Whether the progress message of a turn tells its end. */
export function isOver(world: SlackWorld, thread: string): boolean {
  return saidIn(world, thread)[0]?.text.includes('The council has answered.') === true;
}

/** What the sages of `wholeScript` say. */
const answers = [
  ['Ada Sage', 'Ada says yes.'],
  ['Ben Sage', 'Ben says no.'],
  ['Cleo Sage', 'Cleo says later.'],
  ['Dan Sage', 'Dan says in parts.'],
] as const;

/** Fails unless all of a turn is in its thread, once: progress first, then the sages, then the verdict. */
export function expectAllSaid(world: SlackWorld, thread: string): void {
  const [progress, ...said] = saidIn(world, thread);
  const verdict = said.pop();
  expect(progress?.author).toBe('Council');
  expect(progress?.text).toContain('The council has answered.');
  expect(progress?.text).not.toContain('Not everything');
  expect(said.map(({ author, text }) => [author, text]).toSorted()).toEqual(answers);
  expect(verdict?.author).toBe('Council');
  expect(verdict?.text).toContain('Rewrite it in parts');
  expect(saidIn(world, thread).filter(({ streaming }) => streaming === 'in_progress')).toEqual([]);
}

/** Waits for the end of the only turn of the world; fails unless all of it is there. */
export async function expectWholeTurn(council: CouncilInSlack, thread: string): Promise<void> {
  const { slack, bot } = council;
  await slack.until(() => isOver(council, thread), 'the end of the turn', 60_000);
  await bot.idle();
  expectAllSaid(council, thread);
  const elsewhere = slack.appMessages().filter(({ threadTs }) => threadTs !== thread);
  expect(elsewhere).toEqual([]);
  slack.assertNoViolations();
}
