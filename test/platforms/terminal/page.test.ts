import { describe, expect, it, test } from 'vitest';
import { canRedraw, paletteFor, wantsColour } from '../../../src/platforms/terminal/page.ts';

const terminal = { isTTY: true };
const pipe = {};

test('lines are redrawn on a terminal, unless it can do nothing, and never in a pipe', () => {
  expect(canRedraw({ TERM: 'xterm-256color' }, terminal)).toBe(true);
  expect(canRedraw({ TERM: 'dumb' }, terminal)).toBe(false);
  expect(canRedraw({}, pipe)).toBe(false);
});

describe('colours', () => {
  it('are wanted on a terminal and not in a pipe', () => {
    expect(wantsColour({}, terminal)).toBe(true);
    expect(wantsColour({}, pipe)).toBe(false);
  });

  it('are not wanted on a terminal that can do nothing', () => {
    expect(wantsColour({ TERM: 'dumb' }, terminal)).toBe(false);
  });

  it('are forbidden by NO_COLOR, whatever else is said, unless it is empty', () => {
    expect(wantsColour({ NO_COLOR: '1', FORCE_COLOR: '1' }, terminal)).toBe(false);
    expect(wantsColour({ NO_COLOR: '' }, terminal)).toBe(true);
  });

  it('can be asked for in a pipe, or forbidden, by FORCE_COLOR', () => {
    expect(wantsColour({ FORCE_COLOR: '1' }, pipe)).toBe(true);
    expect(wantsColour({ FORCE_COLOR: '' }, pipe)).toBe(true);
    expect(wantsColour({ FORCE_COLOR: '0' }, terminal)).toBe(false);
    expect(wantsColour({ FORCE_COLOR: 'false' }, terminal)).toBe(false);
  });

  it('are there when they were decided on, even where nothing is a terminal', () => {
    expect(paletteFor(true).strong('x')).toBe('\u001b[1mx\u001b[22m');
    expect(paletteFor(false).strong('x')).toBe('x');
  });

  it('differ between neighbouring seats', () => {
    const { seat } = paletteFor(true);
    for (let place = 0; place < 12; place += 1) {
      expect(seat(place)('x')).not.toBe(seat(place + 1)('x'));
    }
  });
});
