import { expect, test, vi } from 'vitest';
import { startWorld } from '../../fakes/discord/connected-client.ts';
import type { Channel, StoredMessage } from '../../fakes/discord/world/records.ts';
import { ask, textOf } from '../../platforms/discord/discord-world.ts';
import { expectAllSaid, isCardText, outlive, patienceMs } from './lives.ts';
import { routes } from './whole-turn.ts';

vi.setConfig({ testTimeout: 2 * patienceMs });

type World = Awaited<ReturnType<typeof startWorld>>;
const question = 'Should we rewrite the engine?';

interface Place {
  readonly name: string;
  /** Gives where the card is, and how to ask; what is said is in `saidIn`, the thread of the card if absent. */
  readonly prepare: (world: World) => {
    readonly cardIn: Pick<Channel, 'id'>;
    readonly saidIn?: Pick<Channel, 'id'>;
    readonly begin: () => void;
  };
}

const places: readonly Place[] = [
  {
    name: 'a follow-up in a thread',
    prepare: ({ discord, channel, ada }) => {
      const thread = discord.userOpensThread(channel, ada, 'Engines');
      const begin = () => discord.userSays(thread, ada, question, { mentionsBot: true });
      return { cardIn: thread, saidIn: thread, begin };
    },
  },
  {
    name: 'a direct message',
    prepare: ({ discord, ada }) => {
      const direct = discord.directMessages(ada);
      const begin = () => discord.userSays(direct, ada, question);
      return { cardIn: direct, saidIn: direct, begin };
    },
  },
  {
    name: '/council ask',
    prepare: (world) => ({ cardIn: world.channel, begin: () => ask(world, question) }),
  },
];

const isOfBot = ({ wire }: StoredMessage) => wire.author.bot === true;
const isCard = (message: StoredMessage) => isOfBot(message) && isCardText(textOf(message));

/** Requests that say something beside the card. */
const counted = [routes.webhookPost, routes.botPost] as const;

test.concurrent.each(
  places.flatMap(({ name, prepare }) => [1, 3, 5].map((answers) => ({ name, prepare, answers }))),
)(
  'after the card of $name was deleted and the bot was killed at answer $answers, nothing is said twice',
  async ({ prepare, answers }) => {
    await using world = await startWorld();
    const { discord } = world;
    const { cardIn, saidIn, begin } = prepare(world);
    const thread = () => saidIn?.id ?? discord.threads(cardIn.id)[0]?.id ?? '';
    const said = () =>
      discord
        .messages(thread())
        .filter((message) => isOfBot(message) && !isCard(message))
        .map(textOf);
    await outlive({
      discord,
      begin,
      counted,
      left: 'done',
      // In places where others speak, the card itself is the first of these posts.
      number: answers + (saidIn ? 1 : 0),
      between: () => {
        const card = discord.messages(cardIn.id).find(isCard);
        if (!card) throw new Error('There is no card.');
        discord.deleteMessage(card);
      },
      isOver: () => said().some((text) => text.includes('## Verdict')),
    });
    expectAllSaid(said());
    expect(discord.violations.all).toEqual([]);
  },
);
