import { ChannelType } from 'discord.js';
import { expect, test, vi } from 'vitest';
import { startWorld } from '../../fakes/discord/connected-client.ts';
import type { FakeDiscord } from '../../fakes/discord/discord.ts';
import { ask, textOf } from '../../platforms/discord/discord-world.ts';
import {
  expectAllSaid,
  hasEnded,
  isCardText,
  outlive,
  outliveStore,
  patienceMs,
  posts,
} from './lives.ts';
import type { Death } from './mortal-store.ts';
import { routes } from './whole-turn.ts';

vi.setConfig({ testTimeout: 2 * patienceMs });

type World = Awaited<ReturnType<typeof startWorld>>;
type Channel = World['channel'];

const question = 'Should we rewrite the engine?';

/** A way to ask: where the cards are, and where all else is said. */
interface Way {
  readonly name: string;
  /** A modal is asked with, which is the first answer to the person. */
  readonly hasModal?: true;
  readonly prepare: (world: World) => {
    readonly begin: () => unknown;
    readonly cardsIn: Pick<Channel, 'id'>;
    /** Absent: the only thread of the channel. */
    readonly saidIn?: () => string;
  };
}

const byCommand: readonly Way[] = [
  {
    name: '/council ask',
    prepare: (world) => ({ begin: () => ask(world, question), cardsIn: world.channel }),
  },
  {
    name: 'the menu of a message',
    // Of another's message it would first be asked what about it.
    prepare: ({ discord, channel, ada }) => {
      const message = discord.userSays(channel, ada, question);
      return {
        begin: () => discord.messageCommand(ada, 'Ask the council', message),
        cardsIn: channel,
      };
    },
  },
];

/** Another's message: a modal asks first what the person wants to know about it. */
const another: Way = {
  name: 'the menu of another’s message',
  hasModal: true,
  prepare: (world) => {
    const choose = menuOfAnother(world);
    return { begin: () => submit(world, choose()), cardsIn: world.channel };
  },
};

function menuOfAnother({ discord, guild, channel, ada }: World) {
  const message = discord.userSays(channel, discord.addMember(guild, 'Bob'), 'We ship on Friday.');
  return () => discord.messageCommand(ada, 'Ask the council', message);
}

type Chosen = ReturnType<FakeDiscord['messageCommand']>;

/** Says in the modal what is asked, once it is there. */
async function submit({ discord }: World, chosen: Chosen): Promise<void> {
  await discord.until(() => chosen.acknowledgement?.kind === 'modal', 'the modal');
  discord.submitModal(chosen, { question });
}

const byMessage: readonly Way[] = [
  {
    name: 'a mention',
    prepare: ({ discord, channel, ada }) => ({
      begin: () => discord.userSays(channel, ada, question, { mentionsBot: true }),
      cardsIn: channel,
    }),
  },
  {
    name: 'a direct message',
    prepare: ({ discord, ada }) => {
      const direct = discord.directMessages(ada);
      const begin = () => discord.userSays(direct, ada, question);
      return { begin, cardsIn: direct, saidIn: () => direct.id };
    },
  },
  {
    name: 'a post in a forum',
    prepare: ({ discord, guild, ada }) => {
      const forum = discord.addChannel(guild, 'forum', ChannelType.GuildForum);
      const post = discord.userOpensThread(forum, ada, 'Engines', { text: 'About engines.' });
      return {
        begin: () => discord.userSays(post, ada, question, { mentionsBot: true }),
        cardsIn: post,
        saidIn: () => post.id,
      };
    },
  },
];

/** What the bot posted in a channel, no matter who sees it. */
function ofBot(discord: FakeDiscord, channelId: string): readonly string[] {
  return discord
    .messages(channelId)
    .filter(({ wire }) => wire.author.bot === true)
    .map(textOf);
}

/** Asks in one way and dies; then the next process has brought the turn to its end, all of it once. */
async function expectOutlived(
  way: Way,
  live: (
    life: Pick<Parameters<typeof outlive>[0], 'discord' | 'begin' | 'isOver'>,
  ) => Promise<void>,
): Promise<void> {
  await using world = await startWorld();
  const { discord } = world;
  const { begin, cardsIn, saidIn } = way.prepare(world);
  const cards = () => ofBot(discord, cardsIn.id).filter(isCardText);
  const isOver = () => cards().some(hasEnded);
  await live({ discord, begin, isOver });
  expect(cards()).toHaveLength(1);
  const threads = discord.threads(cardsIn.id);
  expect(threads).toHaveLength(saidIn ? 0 : 1);
  const texts = ofBot(discord, saidIn?.() ?? threads[0]?.id ?? '');
  expectAllSaid(texts.filter((text) => !isCardText(text)));
  if (!saidIn) expect(ofBot(discord, cardsIn.id)).toHaveLength(1);
  expect(discord.violations.all).toEqual([]);
}

const kept = {
  write: { verb: 'write', number: 1, when: 'after' },
  beforeBegin: { verb: 'begin', number: 1, when: 'before' },
  begin: { verb: 'begin', number: 1, when: 'after' },
  forgetting: { verb: 'write', number: 2, when: 'before' },
  taking: { verb: 'take', number: 1, when: 'before' },
  taken: { verb: 'take', number: 1, when: 'after' },
} as const satisfies Record<string, Death>;
const { write, beforeBegin, begin, taking, taken } = kept;

const deaths = [
  ...byCommand.flatMap((way, index) => {
    // The ways differ in their beginning alone.
    const those = index === 0 ? Object.values(kept) : [write, beforeBegin, begin];
    return those.map((death) => ({ way, death }));
  }),
  // What was heard of another is noted before the question is kept.
  ...[{ ...write, number: 3 }, beforeBegin, begin].map((death) => ({ way: another, death })),
  ...byMessage.flatMap((way) => [begin, taking, taken].map((death) => ({ way, death }))),
];

test.concurrent.each(deaths.map(({ way, death }) => ({ way, death, asked: way.name, ...death })))(
  'asked by $asked, a bot that dies $when $verb $number of its store has said everything once after a restart',
  ({ way, death }) => expectOutlived(way, (life) => outliveStore({ ...life, death })),
);

test.concurrent.each(
  byCommand.flatMap((way) =>
    (['done', 'not done'] as const).map((left) => ({ way, left, asked: way.name })),
  ),
)(
  'asked by $asked, a bot that is killed with its answer $left has said everything once after a restart',
  ({ way, left }) =>
    expectOutlived(way, (life) =>
      outlive({ ...life, number: 1, left, counted: [routes.callback] }),
    ),
);

/** The card and the thread, after the modal. What comes later is as with a command: `kill.test.ts`. */
const afterModal = [2, 3].flatMap((number) =>
  (['done', 'not done'] as const).map((left) => ({ number, left })),
);

test.concurrent.each(afterModal)(
  'asked about another’s message, a bot that is killed with request $number $left has said everything once after a restart',
  ({ number, left }) =>
    expectOutlived(another, (life) =>
      outlive({ ...life, number, left, counted: [routes.callback, ...posts] }),
    ),
);

test.concurrent.each([{ left: 'done' }, { left: 'not done' }] as const)(
  'a bot that is killed with its modal $left answers once what is asked of the next one',
  async ({ left }) => {
    await using world = await startWorld();
    const { discord, channel } = world;
    const choose = menuOfAnother(world);
    const chosen: Chosen[] = [];
    const cards = () => ofBot(discord, channel.id).filter(isCardText);
    await outlive({
      discord,
      number: 1,
      left,
      counted: [routes.callback],
      begin: () => chosen.push(choose()),
      goOn: () => {
        // Who saw no modal chooses again.
        const [shown = choose()] = chosen.filter(({ acknowledgement }) => acknowledgement);
        return submit(world, shown);
      },
      isOver: () => cards().some(hasEnded),
    });
    expect(cards()).toHaveLength(1);
    const [thread, ...more] = discord.threads(channel.id);
    expect(more).toEqual([]);
    expectAllSaid(ofBot(discord, thread?.id ?? '').filter((text) => !isCardText(text)));
    expect(discord.violations.all).toEqual([]);
  },
);

const unkept: readonly Death[] = [
  { verb: 'claim', number: 1, when: 'before' },
  { verb: 'claim', number: 1, when: 'after' },
  { verb: 'write', number: 1, when: 'before' },
];

test.concurrent.each([
  ...[...byCommand, another].flatMap((way) =>
    unkept.map((death) => ({ way, death, asked: way.name, ...death })),
  ),
  ...byMessage.map((way) => {
    const death = { verb: 'begin', number: 1, when: 'before' } as const;
    return { way, death, asked: way.name, ...death };
  }),
])(
  'asked by $asked, a bot that dies $when $verb $number of its store has promised nothing to anybody',
  async ({ way, death }) => {
    await using world = await startWorld();
    const { discord } = world;
    const { begin, cardsIn } = way.prepare(world);
    const modals = way.hasModal ? 1 : 0;
    const nothing = () => {
      expect(ofBot(discord, cardsIn.id)).toEqual([]);
      expect(discord.threads(cardsIn.id)).toEqual([]);
      expect(discord.calls.filter(({ route }) => route === routes.callback)).toHaveLength(modals);
    };
    await outliveStore({ discord, begin, death, between: nothing, isOver: () => true });
    nothing();
  },
);

test.concurrent('a bot that dies after it could only say that an answer is on its way has a card of its own after a restart', () =>
  expectOutlived(byCommand[0] ?? expect.unreachable(), async (life) => {
    const death = { verb: 'write', number: 1, when: 'after', slownessMs: 1000 } as const;
    const isPutOff = () =>
      life.discord.calls.some(({ route, status }) => route === routes.callback && status === 204);
    await outliveStore({ ...life, death, between: () => expect(isPutOff()).toBe(true) });
  }));
