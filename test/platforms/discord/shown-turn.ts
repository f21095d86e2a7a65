/** A turn that processes of its own show in the fake, one of them halted with something on its way. */

import type { TurnEvent } from '../../../src/council/events.ts';
import { silentLog } from '../../../src/domain/log.ts';
import { createPacer } from '../../../src/platforms/chat/pacing/pacer.ts';
import { presentTurn } from '../../../src/platforms/chat/show/turn-presenter.ts';
import { discordCanvases } from '../../../src/platforms/discord/presenter/discord-canvas.ts';
import { openingCards } from '../../../src/platforms/discord/presenter/opening-cards.ts';
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

export const verdict = 'Waiting is worse.';
/** Two messages of one sage; of what is longer than all its messages the rest would be a file. */
const long = `Do your part, and no more. ${'Say it plainly. '.repeat(150)}`;
export const whole = [
  seated,
  answered('marcus_aurelius', long),
  answered('nassim_taleb', 'Bet small, and often.'),
  reviewed('marcus_aurelius'),
  ranked,
  concluded(),
  answeredEnd,
];

export interface SentRequest extends Pick<RestRequest, 'method'> {
  readonly body: string;
}

type Intercept = (request: RestRequest, send: () => Promise<unknown>) => Promise<unknown>;

export interface TurnOptions extends DiscordOptions {
  /** What happens in it, at once or as it comes; absent: {@link whole}. */
  readonly events?: readonly TurnEvent[] | (() => AsyncIterable<TurnEvent>);
}

/** A question in a thread of its own, and processes that show its turn. */
export async function startTurn({ events: told = whole, ...options }: TurnOptions = {}) {
  const { discord, guild, channel, ada, ...world } = await startWorld(options);
  const { id } = discord.userSays(channel, ada, 'Should we rewrite it?').wire;
  const request = {
    turnId: 'turn-1',
    eventId: id,
    question: 'Should we rewrite it?',
    isPosted: true as const,
    threadId: placeOf({ guild: guild.id, channel: channel.id, thread: id }).threadId,
    author: { id: ada.id, name: 'Ada' },
    askedAt: discord.clock.now(),
  };
  /** Shows all of it, as a process of its own. */
  const show = async (turn: Partial<PresentedTurn> = {}, intercept?: Intercept) => {
    const { token, api } = discord;
    const rest = new DiscordRest({
      token,
      api,
      timeoutMs: 2000,
      retryWaitsMs: [1, 1, 1],
      ...(intercept ? { intercept } : {}),
    });
    const pacer = createPacer(unlimited);
    const canvases = discordCanvases({
      rest,
      outageWaitsMs: [],
      log: silentLog,
      now: discord.clock.now,
      pacer,
      whoAmI: readIdentity,
      ownPicture: () => undefined,
      cards: openingCards(rest, pacer, () => readIdentity(rest)),
      followUpNote: async () => '',
    });
    async function* events() {
      yield* typeof told === 'function' ? told() : told;
    }
    const nothing = async () => undefined;
    const presented = {
      request,
      isResumed: false,
      followUpMode: 'mention' as const,
      keepShownAt: nothing,
      wasAsked: async () => false,
      wantsPing: async () => false,
      assertHeld: nothing,
      assertNotLost: nothing,
      assertAwake: nothing,
      ...turn,
    };
    await presentTurn(presented, events(), new AbortController().signal, canvases, silentLog);
  };
  /** Shows a later turn of the same thread, which goes as this one. */
  const showNext = async () => {
    const [thread] = discord.threads(channel.id);
    if (!thread) throw new Error('There is no thread.');
    const { id: eventId } = discord.userSays(thread, ada, 'And now?').wire;
    const next = { ...request, turnId: 'turn-2', eventId, question: 'And now?' };
    await show({ request: { ...next, askedAt: discord.clock.now() } });
  };
  /** All that the bot and its sages have said, by the place of what they say it in. */
  const said = () =>
    [channel.id, id]
      .flatMap((place) => discord.messages(place))
      .filter(({ wire }) => wire.author.id !== ada.id)
      .map((message) => textOf(message));
  return {
    discord,
    channel,
    thread: id,
    show,
    showNext,
    said,
    [Symbol.asyncDispose]: () => world[Symbol.asyncDispose](),
  };
}

export type ShownTurn = Awaited<ReturnType<typeof startTurn>>;

/**
 * Shows the turn by a process that is halted with a request on its way.
 *
 * @param isHalting - Of what it sends, whether it is halted then; asked until it is.
 * @param meanwhile - Called with what lets the request arrive.
 */
export async function showHalted(
  { show }: ShownTurn,
  isHalting: (request: SentRequest) => boolean,
  meanwhile: (arrive: () => Promise<void>) => Promise<void>,
): Promise<void> {
  let wasHalted = false;
  const intercept: Intercept = async ({ method, body }, send) => {
    if (wasHalted || !isHalting({ method, body: JSON.stringify(body) ?? '' })) return send();
    wasHalted = true;
    const answer = Promise.withResolvers<unknown>();
    await meanwhile(async () => answer.resolve(await send()));
    return answer.promise;
  };
  const assertAwake = async () => {
    if (wasHalted) throw new SupersededError('turn-1');
  };
  // Of a turn that is another's the process says no more.
  await show({ assertAwake, assertHeld: assertAwake, assertNotLost: assertAwake }, intercept).catch(
    () => undefined,
  );
}

/** What a turn comes to that no process was halted in. */
export async function undisturbed(options: TurnOptions = {}): Promise<readonly string[]> {
  await using turn = await startTurn(options);
  await turn.show();
  return turn.said();
}
