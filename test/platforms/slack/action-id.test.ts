import { describe, expect, it } from 'vitest';
import {
  type Action,
  encodeAction,
  encodeForm,
  ownIdPattern,
  readAction,
  readForm,
} from '../../../src/platforms/slack/action-id.ts';

const actions: readonly Action[] = [
  { kind: 'stop', turnId: 't1' },
  { kind: 'view', view: 'receipt', turnId: 't1' },
  { kind: 'feedback', turnId: 't1', rating: 'good' },
  { kind: 'run', command: 'summon --save "a|b:c"' },
  { kind: 'config', scope: 'server' },
];

describe('what a button of Slack carries', () => {
  it('is read back as it was written', () => {
    for (const action of actions) {
      const { action_id = '', value = '' } = encodeAction(action) ?? {};
      expect(action_id).toMatch(ownIdPattern);
      expect(action_id.length).toBeLessThanOrEqual(255);
      expect(readAction(value)).toEqual(action);
    }
  });

  it('gives each action of a block an id of its own', () => {
    const ids = [
      encodeAction({ kind: 'view', view: 'reviews', turnId: 't1' }),
      encodeAction({ kind: 'view', view: 'seats', turnId: 't1' }),
      encodeAction({ kind: 'run', command: 'summon --save x' }),
      encodeAction({ kind: 'run', command: 'summon --discard x' }),
    ].map((one) => one?.action_id);
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('is refused where it is too long, rather than cut', () => {
    expect(encodeAction({ kind: 'run', command: 'x'.repeat(2000) })).toBeUndefined();
  });

  it.each(['', 'stop', '{"kind":"stop"}', '{"kind":"erase","turnId":"t1"}', '[]', 'null'])(
    'is nothing of ours: %s',
    (value) => {
      expect(readAction(value)).toBeUndefined();
      expect(readForm(value)).toBeUndefined();
    },
  );
});

describe('what a modal of Slack carries', () => {
  it('is read back as it was written', () => {
    const form = {
      kind: 'config',
      team: 'T1',
      channel: 'C1',
      thread: '1.2',
      scope: 'channel',
    } as const;
    expect(readForm(encodeForm(form).private_metadata)).toEqual(form);
  });
});
