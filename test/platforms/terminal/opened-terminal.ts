import { PassThrough } from 'node:stream';
import { z } from 'zod';
import type { TerminalOutput } from '../../../src/platforms/terminal/live-page.ts';
import { createTerminal, type TerminalOptions } from '../../../src/platforms/terminal/terminal.ts';
import type { ScriptedIngress } from './scripted-ingress.ts';

/** The few commands that a test can give. */
export const commands = [
  {
    name: 'ask',
    description: 'Put a question',
    options: z.object({
      question: z.string(),
      depth: z.enum(['quick', 'standard']).optional(),
      sages: z.string().optional(),
    }),
  },
  { name: 'sages', description: 'Who may sit', options: z.object({}) },
  { name: 'help', description: 'How to ask', options: z.object({}) },
  { name: 'next', description: 'Go on', options: z.object({ question: z.enum(['1', '2', '3']) }) },
  { name: 'deeper', description: 'Go deeper', options: z.object({}) },
  { name: 'stop', description: 'Stop', options: z.object({}) },
];

/** A started terminal with a keyboard to type on. */
export async function openTerminal(
  ingress: ScriptedIngress,
  output: TerminalOutput,
  more: Partial<TerminalOptions> = {},
) {
  const keyboard = new PassThrough();
  const terminal = createTerminal({
    input: keyboard,
    output,
    interactive: false,
    colour: false,
    thread: 'default',
    commands,
    person: { id: 'local', name: 'Ada', isManager: true, isServerManager: true },
    welcome: ['The rehearsal model speaks.'],
    filesFolder: '/nowhere',
    historyPath: '/dev/null',
    ...more,
  });
  ingress.platform = terminal;
  await terminal.start(ingress);
  return { terminal, keyboard };
}
