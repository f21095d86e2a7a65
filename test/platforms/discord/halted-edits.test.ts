/** What a halted process had edited when it went on: another process has shown the end since. */

import { expect, test } from 'vitest';
import { textOf } from './discord-world.ts';
import {
  type SentRequest,
  type ShownTurn,
  showHalted,
  startTurn,
  undisturbed,
} from './shown-turn.ts';

const isCard = ({ method }: SentRequest) => method === 'PATCH';

/** A card that shows an older state than its successor had shown. */
async function overwritten(turn: ShownTurn): Promise<void> {
  await showHalted(turn, isCard, async (arrive) => {
    await turn.show({ isResumed: true });
    await arrive();
  });
  expect(turn.said().join('\n')).toContain('⏳');
}

const told = { isResumed: true, isAlreadyShown: true } as const;

test('a card that a late edit has overwritten is drawn again as the turn ended', async () => {
  await using turn = await startTurn();
  await overwritten(turn);
  const before = turn.discord.calls.length;
  await turn.show(told);
  expect(turn.said()).toEqual(await undisturbed());
  const edits = turn.discord.calls.slice(before).filter(({ route }) => route.startsWith('PATCH'));
  expect(edits).toHaveLength(1);
  expect(turn.discord.violations.all).toEqual([]);
});

test('what people have deleted of a turn is not said again for that', async () => {
  await using turn = await startTurn();
  await overwritten(turn);
  const [answer] = turn.discord
    .messages(turn.thread)
    .filter(({ wire }) => wire.content.includes('Do your part'));
  const [ranking] = turn.discord
    .messages(turn.thread)
    .filter((message) => textOf(message).includes('Ranking by'));
  if (!answer || !ranking) throw new Error('There is no answer.');
  turn.discord.deleteMessage(answer);
  turn.discord.deleteMessage(ranking);
  await turn.show(told);
  const gone = [textOf(answer), textOf(ranking)];
  expect(turn.said()).toEqual((await undisturbed()).filter((text) => !gone.includes(text)));
});

test('nothing is posted, and nobody told, where the card is gone', async () => {
  await using turn = await startTurn();
  await turn.show();
  const [card] = turn.discord
    .messages(turn.channel.id)
    .filter((one) => textOf(one).includes('Read the whole council'));
  if (!card) throw new Error('There is no card.');
  turn.discord.deleteMessage(card);
  const before = turn.said();
  await expect(turn.show(told)).rejects.toThrow();
  expect(turn.said()).toEqual(before);
});

test('after its last edit a process asks whether the turn is still its own', async () => {
  await using turn = await startTurn();
  const done: string[] = [];
  const assertAwake = async () => {
    done.push('asked');
  };
  await turn.show({ assertAwake }, async ({ method }, send) => {
    const answer = await send();
    done.push(method);
    return answer;
  });
  expect(done.slice(done.lastIndexOf('PATCH'))).toEqual(['PATCH', 'asked']);
});
