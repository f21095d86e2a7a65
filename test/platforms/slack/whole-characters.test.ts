/** Slack refuses a whole message, page or modal for half an emoji in any of its texts. */

import { describe, expect, test } from 'vitest';
import type { SettingField } from '../../../commands/command.ts';
import { english } from '../../../src/domain/languages/english.ts';
import { advance, notBegun } from '../../../src/platforms/chat/show/turn-progress.ts';
import { homeView, suggestedPrompts } from '../../../src/platforms/slack/ingress/app-home.ts';
import { replyMessages } from '../../../src/platforms/slack/ingress/reply-messages.ts';
import { settingsModal } from '../../../src/platforms/slack/ingress/settings-modal.ts';
import { button, headerBlock, smallPrint } from '../../../src/platforms/slack/presenter/blocks.ts';
import { personasOf } from '../../../src/platforms/slack/presenter/persona.ts';
import { progressMessage } from '../../../src/platforms/slack/presenter/progress-message.ts';
import { seat } from '../terminal/turn-events.ts';

/** Wherever one of them is cut, the other is cut in the middle of an emoji. */
const wild = ['', 'x'].map((begin) => begin + '😀'.repeat(3000));

const field = (label: string): SettingField => ({
  name: 'model',
  label,
  description: label,
  input: {
    kind: 'choice',
    choices: [{ value: 'a', label, description: label }],
    chosen: 'a',
  },
  value: label,
  origin: 'channel',
  ignored: [label],
});
const form = { kind: 'config', team: 'T1', channel: 'C1', thread: 'C1', scope: 'channel' } as const;

/** With a reason that is too long to be shown whole. */
function ended(reason: string) {
  const seats = [seat('ben', 'Ben')];
  const end = { outcome: 'failed', explanation: reason } as const;
  const progress = advance({ ...notBegun, seats }, { type: 'ended', end });
  const shown = { turnId: 'turn-1', words: english, question: 'Why?', reviews: [], notes: [] };
  return progressMessage({ ...shown, progress, personas: personasOf(seats) });
}

describe('no text is cut in the middle of an emoji', () => {
  test.for<[string, (text: string) => unknown]>([
    ['on the page of a person', (text) => homeView(overviewOf(text), false)],
    ['in what the pane suggests', (text) => suggestedPrompts(overviewOf(text).bench)],
    ['in a modal', (text) => settingsModal(form, block(text), '')],
    ['in a table', (text) => replyMessages({ isPrivate: true, blocks: [table(text)] })],
    ['on a button', (text) => button(text, { kind: 'stop', turnId: '1' })],
    ['in a header', headerBlock],
    ['in small print', (text) => smallPrint([text])],
    ['in the reason why a turn failed', ended],
  ])('%s', ([, shown]) => {
    for (const text of wild) expect(halves(shown(text))).toEqual([]);
  });
});

function overviewOf(text: string) {
  const sage = {
    key: 'ben',
    name: text,
    description: text,
    emoji: '😀',
    source: 'custom',
  } as const;
  return { bench: [sage], defaults: [], recent: [] };
}

function block(text: string) {
  return { type: 'settings', scope: 'channel', fields: [field(text)] } as const;
}

function table(text: string) {
  return { type: 'table', header: ['a'], rows: [[text]] } as const;
}

/** All texts in it that are not well-formed. */
function halves(value: unknown): readonly string[] {
  if (typeof value === 'string') return value.isWellFormed() ? [] : [value];
  if (typeof value !== 'object' || value === null) return [];
  return Object.values(value).flatMap(halves);
}
