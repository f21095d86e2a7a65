import { describe, test } from 'vitest';
import { silentLog } from '../../../src/domain/log.ts';
import type { TurnRequest } from '../../../src/domain/turn.ts';
import type { Platform } from '../../../src/platforms/platform.ts';
import { localCaller } from '../../../src/platforms/web/caller.ts';
import { changedBy } from '../../../src/platforms/web/page/turn-regions.ts';
import {
  applyEvent,
  initialView,
  type TurnView,
} from '../../../src/platforms/web/page/turn-view.ts';
import { createWeb } from '../../../src/platforms/web/web.ts';
import type { WebTurn } from '../../../src/platforms/web/web-council.ts';
import { type PlatformWorld, platformCases } from '../../contracts/platform.ts';
import { afterVerdictCases } from '../../contracts/platform-after-verdict.ts';
import { askedTurn, noShares, recordsOf, v1Limits } from './web-world.ts';

/** Why a case says nothing about the web. */
const skipped: Readonly<Record<string, string>> = {
  'empties what shows a question that was taken back':
    'a page is made from the store, which has forgotten the turn',
  'says no answer again that a turn goes deeper from':
    'a turn has a page of its own, which is whole',
  'says nothing twice of a turn that was told to its end':
    'a page is made from the store, where nothing is overwritten',
};
const noChannel = 'a workspace has one channel, and a page is made anew each time';

/** One reader for each turn, who has its page open. */
function webWorld(): PlatformWorld {
  const turns = new Map<string, WebTurn>();
  const pages = new Map<string, TurnView>();
  const open = (): Platform => {
    const web = createWeb({
      host: '127.0.0.1',
      port: 0,
      log: silentLog,
      keys: recordsOf({}),
      shares: noShares,
      v1: { limits: v1Limits, reasoningField: 'reasoning_content' },
      sessionSecret: async () => 'unused',
      records: {
        turn: async (_, turnId) => turns.get(turnId),
        threads: async () => [],
        turnIds: async () => [],
        scoredTurns: async () => [],
        ingest: async () => ({ added: 0, known: 0, expired: 0 }),
      },
    });
    const read = async ({ turnId }: TurnRequest, signal: AbortSignal) => {
      const turn = turns.get(turnId);
      if (!turn) return;
      let view = initialView(turn);
      pages.set(turnId, view);
      for await (const { event } of web.council.watch(localCaller, turnId, { signal })) {
        view = applyEvent(view, event);
        pages.set(turnId, view);
      }
    };
    return {
      ...web,
      async present(turn, events, shutdown) {
        const leaving = new AbortController();
        const reading = read(turn.request, leaving.signal);
        try {
          await web.present(turn, events, shutdown);
        } catch (error) {
          leaving.abort();
          throw error;
        } finally {
          setTimeout(() => leaving.abort(), 100);
          await reading;
        }
      },
    };
  };
  return {
    open,
    ask: async (question) => {
      const turn = askedTurn(`turn-${turns.size + 1}`);
      const request = { ...turn.past.request, question };
      const kept = { ...turn, past: { ...turn.past, request } };
      turns.set(turn.turnId, kept);
      pages.set(turn.turnId, initialView(kept));
      return request;
    },
    transcript: ({ turnId, question }) => {
      const view = pages.get(turnId);
      return view ? `${question}\n${textOf(view)}` : '';
    },
    channel: () => '',
    alarms: () =>
      [...pages.values()].flatMap((view) => [
        ...(htmlOf(view).match(/\p{Cc}(?<!\n)|<script/gu) ?? []),
      ]),
    shut: () => undefined,
    [Symbol.asyncDispose]: async () => undefined,
  };
}

/** All of a page, in the order in which it happened. */
function htmlOf(view: TurnView): string {
  const whole = { outcome: 'answered', explanation: '' } as const;
  const { regions } = changedBy({ type: 'ended', end: whole }, view);
  const panes = [...regions.keys()].filter((id) => id.startsWith('answer-'));
  const happened = ['progress', ...panes, 'dispute', 'verdict', 'notices'];
  return happened.map((id) => String(regions.get(id))).join('\n');
}

function textOf(view: TurnView): string {
  return htmlOf(view)
    .replace(/<svg.*?<\/svg>|<nav.*?<\/nav>/gs, '')
    .replace(/<[^>]*>/g, '')
    .replace(/&#39;|&quot;/g, "'");
}

describe('the web keeps the contract of platforms:', () => {
  const cases = [
    ...platformCases.map((one) => ({ ...one, why: skipped[one.name] })),
    ...afterVerdictCases.map((one) => ({ ...one, why: noChannel })),
  ];
  test.each(cases.filter(({ why }) => !why))('$name', async ({ run }) => {
    await using world = webWorld();
    await run(world);
  });

  test.skip.each(cases.filter(({ why }) => why))('$name (not here: $why)', () => undefined);
});
