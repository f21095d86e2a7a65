/** What a halted process had on its way, and says when it wakes: another process has the turn since. */

import { describe, expect, test } from 'vitest';
import { answered, seat, taleb } from '../terminal/turn-events.ts';
import {
  type SentRequest,
  type ShownTurn,
  showHalted,
  startTurn,
  undisturbed,
  verdict,
  whole,
} from './shown-turn.ts';

const postOf =
  (isIt: (body: string) => boolean) =>
  ({ method, body }: SentRequest) =>
    method === 'POST' && isIt(body);

const posts = {
  'the card': postOf((body) => body.includes('The council is taking')),
  'an answer': postOf((body) => body.includes('Do your part')),
  'the second message of an answer': postOf(
    (body) => body.includes('Say it plainly') && !body.includes('Do your part'),
  ),
  'the ranking': postOf((body) => body.includes('Ranking by')),
  'the verdict': postOf((body) => body.includes(verdict)),
} as const;

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

test('an answer that no one else has said yet stays, and is found', async () => {
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
  const say = async (turn: ShownTurn, show: () => Promise<void>) => {
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

/** Of two messages that say the same. */
const twice = `${'Say it plainly. '.repeat(90)}\n\n${'Say it plainly. '.repeat(90)}`;
const twins = { events: whole.with(1, answered('marcus_aurelius', twice)) };
const ofTwins = ['first', 'second'].map((which, index) => ({ which, index }));

/** The message of an answer that says the same as the others. */
function nthTwin(index: number): (request: SentRequest) => boolean {
  let seen = 0;
  return postOf((body) => body.includes('Say it plainly') && seen++ === index);
}

test.each(ofTwins)(
  'the $which of two messages that say the same stays where another process has found it',
  async ({ index }) => {
    await using turn = await startTurn(twins);
    await showHalted(turn, nthTwin(index), async (arrive) => {
      await arrive();
      await turn.show({ isResumed: true });
    });
    const said = turn.said();
    expect(said.filter((text) => text.includes('Say it plainly'))).toHaveLength(2);
    expect(said).toEqual(await undisturbed(twins));
  },
);

test.each(ofTwins)(
  'the $which of two messages that say the same is taken back where another process has said it',
  async ({ index }) => {
    await using turn = await startTurn(twins);
    await showHalted(turn, nthTwin(index), async (arrive) => {
      await turn.show({ isResumed: true });
      await arrive();
    });
    expect(turn.said()).toEqual(await undisturbed(twins));
  },
);

describe('where a later turn of the thread says the same', () => {
  async function undisturbedWithNext() {
    await using turn = await startTurn();
    await turn.show();
    await turn.showNext();
    return turn.said();
  }

  test('an answer that another process has found stays', async () => {
    await using turn = await startTurn();
    await showHalted(turn, posts['an answer'], async (arrive) => {
      await arrive();
      await turn.show({ isResumed: true });
      await turn.showNext();
    });
    expect(turn.said()).toEqual(await undisturbedWithNext());
  });

  test('an answer that comes after it is taken back', async () => {
    await using turn = await startTurn();
    await showHalted(turn, posts['an answer'], async (arrive) => {
      await turn.show({ isResumed: true });
      await turn.showNext();
      await arrive();
    });
    expect(turn.said()).toEqual(await undisturbedWithNext());
  });
});

test('of a sage whose own name begins with an emoji, what is said stays said when its turn is resumed', async () => {
  const roaster = seat('marcus_aurelius', '🔥 Roaster');
  const seats = [roaster, taleb];
  const named = { seats, how: 'moderated' as const, dropped: [], latencyMs: 1 };
  const events = [{ type: 'seated' as const, seated: named }, ...whole.slice(1)];
  await using turn = await startTurn({ events });
  await turn.show();
  const before = turn.said();
  turn.discord.clock.advance(afterAnyNonce);
  await turn.show({ isResumed: true });
  expect(turn.said()).toEqual(before);
});
