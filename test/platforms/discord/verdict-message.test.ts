import { expect, test } from 'vitest';
import { english } from '../../../src/domain/languages/english.ts';
import { verdictMessage } from '../../../src/platforms/discord/presenter/turn-messages.ts';
import { concluded } from '../terminal/turn-events.ts';
import { textOf } from './discord-world.ts';

const note = 'Posted to the channel.';

/** A verdict that was posted to the channel. */
function shown(length: number) {
  const event = concluded({ verdict: 'So it is. '.repeat(length / 10).trim() });
  if (event.type !== 'concluded') throw new Error('There is no verdict.');
  const offers = { again: [], next: [], mayPost: false, notes: [note] };
  const message = verdictMessage('turn-1', event.verdict, undefined, offers, new Map(), english);
  return { ...message, text: textOf({ wire: { content: '', ...message } }) };
}

test.each([
  ['above its notes', 3000, true],
  ['without its notes, where there is no room for them', 3500, false],
])('a verdict is one message, %s', (_, length, hasNote) => {
  const { text, files } = shown(length);
  expect(files).toBeUndefined();
  expect(text).toContain('So it is. So it is.');
  expect(text.includes(note)).toBe(hasNote);
  expect(text.length).toBeLessThan(4000 - 200);
});

test('a longer verdict is begun above its notes, and whole in a file', () => {
  const { text, files } = shown(5000);
  expect(files).toHaveLength(1);
  expect(text).toContain(note);
  expect(text.length).toBeLessThan(4000 - 200);
});
