import { expect, test } from 'vitest';
import { english } from '../../../src/domain/languages/english.ts';
import { turnWordsIn } from '../../../src/domain/languages/languages.ts';
import { advance, notBegun } from '../../../src/platforms/chat/show/turn-progress.ts';
import { personasOf } from '../../../src/platforms/discord/presenter/persona.ts';
import { rankingMessage } from '../../../src/platforms/discord/presenter/ranking-message.ts';
import { marcus, ranked, seated, taleb } from '../terminal/turn-events.ts';
import { textOf } from './discord-world.ts';

test('keeps each place before its name where names run from right to left, and explains bars once', async () => {
  const names = new Map([
    [marcus.sage.key, 'سلمى'],
    [taleb.sage.key, 'رضا'],
  ]);
  const seats = [marcus, taleb].map((seat) => {
    return { ...seat, sage: { ...seat.sage, name: names.get(seat.sage.key) ?? '' } };
  });
  const progress = [seated, ranked].reduce(advance, notBegun);
  const personas = personasOf(seats);
  const hindi = turnWordsIn('hi');
  const turn = { turnId: 'turn-1', words: english, progress, reviews: [], personas };
  const shown = await rankingMessage(turn, async () => undefined);
  const text = textOf({ wire: { content: '', ...shown } });
  const [inText] = shown?.fallback ?? [];
  const withoutPicture = textOf({ wire: { content: '', ...inText } });
  // A left-to-right mark (U+200E) ends the first name's run before the next number.
  expect(text).toMatch(/1\\\. \*\*[^*]+\*\* 🏆 \u200e· 2\\\. \*\*[^*]+\*\*/);
  // The picture itself says what its bars show.
  expect([text, withoutPicture].map((one) => one.includes(english.bars))).toEqual([false, true]);
  // Its font lacks the script of Hindi.
  const inHindi = await rankingMessage({ ...turn, words: hindi }, async () => undefined);
  expect(inHindi?.files).not.toEqual([]);
  expect(textOf({ wire: { content: '', ...inHindi } })).toContain(hindi.bars);
});
