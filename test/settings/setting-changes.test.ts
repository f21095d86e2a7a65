import { describe, expect, test } from 'vitest';
import { validateChanges } from '../../src/settings/channel-settings.ts';
import { knownHere, layer } from '../council/channel-of-tests.ts';

const known = knownHere();
const nothing = { channel: {}, server: {} };

describe('changes that are asked for together', () => {
  test('are taken together, with null for what is reset', () => {
    expect(
      validateChanges('channel', { depth: 'quick', seats: 'ada', memory: null }, nothing, known),
    ).toEqual({ status: 'valid', changes: { depth: 'quick', seats: ['ada'], memory: null } });
  });

  test('are all refused for one of them, each problem under its own name', () => {
    const judged = validateChanges(
      'channel',
      { depth: 'quick', maxDynamicSages: 'many', colour: 'red', constructor: 'x' },
      nothing,
      known,
    );
    const problems = judged.status === 'invalid' ? judged.problems : new Map();
    expect([...problems.keys()]).toEqual(['maxDynamicSages', 'colour', 'constructor']);
    expect(problems.get('colour')).toContain('There are: seats, bench, depth');
  });

  test('may not seat someone who is off the bench, in whichever place the bench is set', () => {
    const server = { channel: {}, server: layer({ bench: ['ada', 'ben'] }) };
    expect(validateChanges('channel', { seats: 'cleo' }, server, known)).toMatchObject({
      status: 'invalid',
      problems: new Map([['seats', expect.stringContaining('Cleo Sage has a seat and is not on')]]),
    });
    const both = { seats: 'cleo', bench: 'cleo dan' };
    expect(validateChanges('channel', both, server, known).status).toBe('valid');
  });

  test('may not take a bench from under fixed seats', () => {
    const seated = { channel: layer({ seats: ['ada', 'ben'] }), server: {} };
    expect(validateChanges('channel', { bench: 'ada' }, seated, known)).toMatchObject({
      problems: new Map([['bench', expect.stringContaining('Ben Sage has a seat')]]),
    });
    expect(validateChanges('channel', { bench: 'ada', seats: null }, seated, known).status).toBe(
      'valid',
    );
  });

  test('of something else pass where seats and bench are at odds already', () => {
    const odd = { channel: layer({ seats: ['ada'] }), server: layer({ bench: ['ben'] }) };
    expect(validateChanges('channel', { depth: 'quick' }, odd, known).status).toBe('valid');
  });
});
