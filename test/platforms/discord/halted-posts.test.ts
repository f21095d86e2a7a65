/** What a halted process had on its way, and says when it wakes: another process has the turn since. */

import { expect, test } from 'vitest';
import { silentLog } from '../../../src/domain/log.ts';
import { createPacer } from '../../../src/platforms/chat/pacing/pacer.ts';
import { DiscordCanvases } from '../../../src/platforms/discord/presenter/discord-canvas.ts';
import { DiscordRest, type RestRequest } from '../../../src/platforms/discord/rest/discord-rest.ts';
import { readIdentity } from '../../../src/platforms/discord/rest/identity.ts';
import { placeOf } from '../../../src/platforms/discord/thread-id.ts';
import type { PresentedTurn } from '../../../src/platforms/platform.ts';
import { SupersededError } from '../../../src/store/store.ts';
import { startWorld } from '../../fakes/discord/connected-client.ts';
import type { DiscordOptions } from '../../fakes/discord/discord.ts';
import {
  answered,
  answeredEnd,
  concluded,
  ranked,
  reviewed,
  seated,
} from '../terminal/turn-events.ts';
import { unlimited } from '../unlimited.ts';
import { textOf } from './discord-world.ts';

const verdict = 'Waiting is worse.';
/** Two messages of one sage; of what is longer than all its messages the rest would be a file. */
const long = `Do your part, and no more. ${'Say it plainly. '.repeat(150)}`;
const whole = [
  seated,
  answered('marcus_aurelius', long),
  answered('nassim_taleb', 'Bet small, and often.'),
  reviewed('marcus_aurelius'),
  ranked,
  concluded(),
  answeredEnd,
];

type Around = (request: RestRequest, send: () => Promise<unknown>) => Promise<unknown>;

/** A question in a thread of its own, and processes that show its turn. */
async function startTurn(options: DiscordOptions = {}) {
  const { discord, guild, channel, ada, ...world } = await startWorld(options);
  const { id } = discord.userSays(channel, ada, 'Should we rewrite it?').wire;
  const request = {
    ...{
      turnId: 'turn-1',
      eventId: id,
      question: 'Should we rewrite it?',
      isPosted: true as const,
    },
    threadId: placeOf({ guild: guild.id, channel: channel.id, thread: id }).threadId,
    author: { id: ada.id, name: 'Ada' },
    askedAt: discord.clock.now(),
  };
  /** Shows all of it, as a process of its own. */
  const show = async (turn: Partial<PresentedTurn> = {}, around?: Around) => {
    const { token, api } = discord;
    const rest = new DiscordRest({
      ...{ token, api, timeoutMs: 2000, retryWaitsMs: [1, 1, 1] },
      ...(around ? { around } : {}),
    });
    const canvases = new DiscordCanvases({
      ...{ rest, outageWaitsMs: [], log: silentLog, now: discord.clock.now },
      pacer: createPacer({ limits: unlimited }),
      whoAmI: readIdentity,
      ownPicture: () => undefined,
      knownCard: () => undefined,
      followUpNote: async () => '',
      onNoPersonas: () => undefined,
    });
    async function* events() {
      yield* whole;
    }
    const nothing = async () => undefined;
    const presented = {
      ...{ request, isResumed: false, followUpMode: 'mention' as const, keepShownAt: nothing },
      ...{ wasAsked: async () => false, wantsPing: async () => false },
      ...{ assertHeld: nothing, assertNotLost: nothing, assertAwake: nothing, ...turn },
    };
    await canvases.present(presented, events(), new AbortController().signal);
  };
  /** All that the bot and its sages have said, by the place of what they say it in. */
  const said = () =>
    [channel.id, id]
      .flatMap((place) => discord.messages(place))
      .filter(({ wire }) => wire.author.id !== ada.id)
      .map((message) => textOf(message));
  return {
    ...{ discord, channel, show, said },
    [Symbol.asyncDispose]: () => world[Symbol.asyncDispose](),
  };
}

type Turn = Awaited<ReturnType<typeof startTurn>>;

const posts = {
  'the card': (body: string) => body.includes('The moderator is choosing'),
  'an answer': (body: string) => body.includes('Do your part'),
  'the second message of an answer': (body: string) =>
    body.includes('Say it plainly') && !body.includes('Do your part'),
  'the ranking': (body: string) => body.includes('Ranking by'),
  'the verdict': (body: string) => body.includes(verdict),
} as const;

/**
 * Shows the turn by a process that is halted with a post on its way.
 *
 * @param meanwhile - Called with what lets the post arrive.
 */
async function showHalted(
  { show }: Turn,
  isHalting: (body: string) => boolean,
  meanwhile: (arrive: () => Promise<void>) => Promise<void>,
): Promise<void> {
  let wasHalted = false;
  const around: Around = async ({ method, body }, send) => {
    if (method !== 'POST' || wasHalted || !isHalting(JSON.stringify(body))) return send();
    wasHalted = true;
    const answer = Promise.withResolvers<unknown>();
    await meanwhile(async () => answer.resolve(await send()));
    return answer.promise;
  };
  const assertAwake = async () => {
    if (wasHalted) throw new SupersededError('turn-1');
  };
  // Of a turn that is another's the process says no more.
  await show({ assertAwake, assertHeld: assertAwake, assertNotLost: assertAwake }, around).catch(
    () => undefined,
  );
}

/** What a turn comes to that no process was halted in. */
async function undisturbed(options: DiscordOptions = {}): Promise<readonly string[]> {
  await using turn = await startTurn(options);
  await turn.show();
  return turn.said();
}

const afterAnyNonce = 600_000;
const places = Object.entries(posts).map(([what, isHalting]) => ({ what, isHalting }));

test.each(places)(
  'of $what that arrives after another process has said it, one is left',
  async ({ isHalting }) => {
    await using turn = await startTurn();
    await showHalted(turn, isHalting, async (arrive) => {
      await turn.show({ isResumed: true });
      turn.discord.clock.advance(afterAnyNonce);
      await arrive();
    });
    expect(turn.said()).toEqual(await undisturbed());
    expect(turn.discord.violations.all).toEqual([]);
  },
);

test.each(places)('$what that another process has found stays', async ({ isHalting }) => {
  await using turn = await startTurn();
  await showHalted(turn, isHalting, async (arrive) => {
    await arrive();
    await turn.show({ isResumed: true });
  });
  expect(turn.said()).toEqual(await undisturbed());
});

test('an answer that nobody else has said yet stays, and is found', async () => {
  await using turn = await startTurn();
  await showHalted(turn, posts['an answer'], (arrive) => arrive());
  await turn.show({ isResumed: true });
  expect(turn.said()).toEqual(await undisturbed());
});

test('an answer of which no confirmation came is taken back as well', async () => {
  await using turn = await startTurn();
  await showHalted(turn, posts['an answer'], async (arrive) => {
    await turn.show({ isResumed: true });
    await arrive();
    throw new Error('the connection was cut');
  });
  expect(turn.said()).toEqual(await undisturbed());
});

test('an answer is taken back also where the bot is shown no content of others', async () => {
  const options = { privilegedIntents: [] };
  await using turn = await startTurn(options);
  await showHalted(turn, posts['the second message of an answer'], async (arrive) => {
    await turn.show({ isResumed: true });
    await arrive();
  });
  expect(turn.said()).toEqual(await undisturbed(options));
});

test('an answer that is said through the bot is taken back', async () => {
  const say = async (turn: Turn, show: () => Promise<void>) => {
    turn.discord.revokePermissions(turn.channel, 'ManageWebhooks');
    await show();
    return turn.said();
  };
  await using turn = await startTurn();
  await using other = await startTurn();
  const said = await say(turn, () =>
    showHalted(turn, posts['an answer'], async (arrive) => {
      await turn.show({ isResumed: true });
      turn.discord.clock.advance(afterAnyNonce);
      await arrive();
    }),
  );
  expect(said).toEqual(await say(other, other.show));
});
