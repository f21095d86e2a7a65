/** Turns that are shown in threads of the fake, event by event, by the presenter alone. */

import type { TurnEvent } from '../../../src/council/events.ts';
import { silentLog } from '../../../src/domain/log.ts';
import type { PacingLimits } from '../../../src/platforms/chat/pacing/call-ledger.ts';
import { createPacer } from '../../../src/platforms/chat/pacing/pacer.ts';
import { openPresenter } from '../../../src/platforms/chat/show/turn-presenter.ts';
import { createSlackApi, type SlackApi } from '../../../src/platforms/slack/api/slack-api.ts';
import { readIdentity } from '../../../src/platforms/slack/connection/identity.ts';
import { placeOf } from '../../../src/platforms/slack/place.ts';
import { slackCanvases } from '../../../src/platforms/slack/presenter/slack-canvas.ts';
import { startWorld } from '../../fakes/slack/connected-app.ts';
import type { SlackOptions } from '../../fakes/slack/slack.ts';
import { unlimited } from '../unlimited.ts';

export const botName = 'Council';

export interface TurnsOptions extends SlackOptions {
  readonly pacing?: PacingLimits;
  readonly isDirect?: boolean;
  /** How long an answer is waited for. Short only where none comes: on a busy machine others are late. */
  readonly timeoutMs?: number;
}

export interface OpenOptions {
  readonly isResumed?: boolean;
  readonly isAlreadyShown?: true;
  /** Whose door it is; absent: one that works. */
  readonly through?: (api: SlackApi) => SlackApi;
  /** As the store tells it after a halt; absent: the turn is still this process's. */
  readonly assertAwake?: () => Promise<void>;
  /** As the store tells it before what is said or changed; absent: the same. */
  readonly assertHeld?: () => Promise<void>;
}

/** A Slack with a channel in which questions are asked. */
export async function startTurns(options: TurnsOptions = {}) {
  const { slack, ada, channel: general, ...world } = await startWorld(options);
  const channel = options.isDirect ? await ada.direct() : general;
  const team = slack.workspace.id;
  const log: { readonly level: string; readonly facts: object; readonly sentence: string }[] = [];
  const note = (level: string) => (facts: object, sentence: string) => {
    log.push({ level, facts, sentence });
  };
  const recordedLog = {
    ...silentLog,
    info: note('info'),
    warn: note('warn'),
    error: note('error'),
  };
  const api = createSlackApi({
    tokenOf: () => slack.installation().botToken,
    apiUrl: slack.api,
    timeoutMs: options.timeoutMs ?? 10_000,
  });
  const newPacer = () => createPacer(options.pacing ?? unlimited);
  let turns = 0;

  /** @param thread - Absent: the question has a thread of its own. */
  const ask = async (thread?: string) => {
    const asked = await ada.says(channel, 'Should we rewrite it?', thread ? { thread } : {});
    turns += 1;
    const request = {
      turnId: `turn-${turns}`,
      threadId: placeOf({ team, channel: channel.id, thread: asked.thread }).threadId,
      eventId: `Ev${turns}`,
      question: 'Should we rewrite it?',
      author: { id: ada.user.id, name: 'Ada' },
      askedAt: Math.round(Number(asked.ts) * 1000),
    };

    const open = async ({
      isResumed = false,
      isAlreadyShown,
      through = (door) => door,
      assertAwake = async () => undefined,
      assertHeld = async () => undefined,
    }: OpenOptions = {}) => {
      const ending = new AbortController();
      const teller = await openPresenter(
        {
          request,
          isResumed,
          ...(isAlreadyShown && { isAlreadyShown }),
          followUpMode: 'mention',
          wasAsked: async () => false,
          wantsPing: async () => false,
          keepShownAt: async () => undefined,
          assertNotLost: assertHeld,
          assertHeld,
          assertAwake,
        },
        ending.signal,
        slackCanvases({
          api: through(api),
          pacerOf: newPacer,
          log: recordedLog,
          identityOf: (of) => readIdentity(api, of),
          retryWaitsMs: [1, 1, 1],
        }),
        recordedLog,
      );
      return Object.assign(teller, { [Symbol.dispose]: () => ending.abort() });
    };

    return {
      asked,
      open,

      /** Shows all of these, from the first message to the last. */
      async show(events: readonly TurnEvent[], more?: OpenOptions) {
        using presenter = await open(more);
        for (const event of events) presenter.take(event);
        await presenter.finish();
      },

      /** What the app has said in the thread, oldest first. */
      said: () => slack.thread(channel, asked.thread).filter(({ isApp }) => isApp),
    };
  };

  return {
    slack,
    ada,
    channel,
    log,
    ask,
    calls: (method: string) => slack.calls.filter((call) => call.method === method),
    [Symbol.asyncDispose]: () => world[Symbol.asyncDispose](),
  };
}

/** The same with one question asked already. */
export async function startTurn(options: TurnsOptions = {}) {
  const world = await startTurns(options);
  return { ...world, ...(await world.ask()) };
}
