import { expect, test } from 'vitest';
import { metadataOf } from '../../../src/platforms/slack/api/messages.ts';
import { readMessageEvent } from '../../../src/platforms/slack/surroundings/said-message.ts';

const own = { botUserId: 'UBOT', botId: 'BBOT' };

test.each([
  ['answer ada', { turnId: 'turn-1' }],
  // A verdict that is taken out of the channel stays in its thread.
  ['posted', {}],
  // What a halted process said too late stands there once more.
  ['withdrawn', {}],
])('of the deleted part “%s” the turn is told where it goes with it', (part, told) => {
  const metadata = metadataOf({ turnId: 'turn-1', part });
  const deleted = { type: 'message', subtype: 'message_deleted', channel: 'C1', deleted_ts: '2.0' };
  const previous_message = { ts: '2.0', bot_id: own.botId, text: 'Said.', metadata };
  expect(readMessageEvent({ ...deleted, previous_message }, own)).toEqual({
    kind: 'deleted',
    channel: 'C1',
    ts: '2.0',
    thread: '2.0',
    ...told,
  });
});
