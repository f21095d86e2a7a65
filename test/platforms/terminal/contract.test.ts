import { PassThrough } from 'node:stream';
import { describe, test } from 'vitest';
import { createTerminal } from '../../../src/platforms/terminal/terminal.ts';
import { type PlatformWorld, platformCases } from '../../contracts/platform.ts';
import { afterVerdictCases } from '../../contracts/platform-after-verdict.ts';

/** Why a case says nothing about a terminal. */
const skipped: Readonly<Record<string, string>> = {
  'keeps two threads apart': 'one page has all that one person asks, one turn after another',
  'asks for the first event once what the turn begins with is there':
    'nothing stands above the first answer',
  'ends with the reason of its signal, and leaves the rest to be resumed':
    'the bot ends the events, and the page with them',
  'goes on with a turn that another process has begun, and says nothing twice':
    'another terminal has none of it, and shows it whole',
  'says nothing once the turn is another process’s': 'a person reads one process alone',
  'hears a turn out that can’t be shown any more': 'the program ends with its output',
  'empties what shows a question that was taken back': 'what was printed is out of reach',
};

function terminalWorld(): PlatformWorld {
  const output = new PassThrough({ encoding: 'utf8' });
  let page = '';
  output.on('data', (text: string) => {
    page += text;
  });
  let asked = 0;
  return {
    open: () =>
      createTerminal({
        input: new PassThrough(),
        output,
        interactive: false,
        colour: false,
        thread: 'default',
        welcome: [],
        commands: [],
        filesFolder: '/nowhere',
        historyPath: '/dev/null',
        person: { id: 'local', name: 'Ada', isManager: true, isServerManager: true },
      }),
    ask: async (question) => {
      asked += 1;
      const ids = { turnId: `turn-${asked}`, eventId: `event-${asked}` };
      const author = { id: 'local', name: 'Ada' };
      return { ...ids, threadId: 'terminal:local:chat:default', question, author, askedAt: asked };
    },
    transcript: () => page,
    channel: () => '',
    alarms: () => page.match(/[^\n\u0020-\u007e\u00a0-\uffff]/g) ?? [],
    shut: () => undefined,
    [Symbol.asyncDispose]: async () => undefined,
  };
}

const noChannel = 'there is no channel, and what was printed is out of reach';

describe('a terminal keeps the contract of platforms:', () => {
  const cases = [
    ...platformCases.map((one) => ({ ...one, why: skipped[one.name] })),
    ...afterVerdictCases.map((one) => ({ ...one, why: noChannel })),
  ];
  test.each(cases.filter(({ why }) => !why))('$name', async ({ run }) => {
    await using world = terminalWorld();
    await run(world);
  });

  test.skip.each(cases.filter(({ why }) => why))('$name (not here: $why)', () => undefined);
});
