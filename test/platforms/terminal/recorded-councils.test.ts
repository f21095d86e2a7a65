import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { describe, expect, it, onTestFinished } from 'vitest';
import { recordedThread } from '../../../src/domain/thread-id.ts';
import type { Recordings } from '../../../src/platforms/terminal/recorded-councils.ts';
import { openTerminal } from './opened-terminal.ts';
import { Screen } from './screen.ts';
import { ScriptedIngress } from './scripted-ingress.ts';
import { answered, answeredEnd, seated, told } from './turn-events.ts';

const long = 'Use a barbell. '.repeat(200).trim();
const request = {
  turnId: 'recorded-move',
  threadId: recordedThread('move'),
  eventId: 'move',
  question: 'Should we move?',
  author: { id: 'recorded', name: 'recorded' },
  askedAt: 0,
};

function recordings(isNumberEnough = true): Recordings {
  const title = 'Whether to move';
  const events = [seated, answered('nassim_taleb', long), answeredEnd];
  return {
    titles: [title, 'Another'],
    isNumberEnough,
    open: async () => ({ title, request, events }),
  };
}

function ingress() {
  return new ScriptedIngress(() => told(seated, answered('nassim_taleb', 'Live.'), answeredEnd));
}

async function open(given: Recordings, more: object = {}) {
  const screen = new Screen(60);
  const scripted = ingress();
  const opened = await openTerminal(scripted, screen, {
    interactive: true,
    recordings: given,
    ...more,
  });
  onTestFinished(() => opened.terminal.stop());
  return {
    screen,
    scripted,
    type: (typed: string) => void opened.keyboard.write(typed),
    see: (shown: string) => expect.poll(() => screen.text).toContain(shown),
  };
}

describe('recorded councils', () => {
  it('are offered by number, and played under a mark until any key skips', async () => {
    const { screen, type, see } = await open(recordings());
    await see('  1  Whether to move\n  2  Another');
    await see('› A number, a question, or /help');
    type('1\r');
    await see('Recorded council: Whether to move · Any key skips.\n\n› Should we move?');
    await see('› any key skips');
    expect(screen.text).not.toContain('lists the others.');
    type('x');
    await see('lists the others.');
    expect(screen.text.match(/barbell/g)).toHaveLength(200);
    // The key that skips is not typed.
    await see('› A number, a question, or /help');
  });

  it('are what commands are about until a question is asked', async () => {
    const { scripted, type, see } = await open(recordings());
    type('1\r');
    await see('› any key skips');
    type(' ');
    await see('lists the others.');
    type('/sages\r');
    await see('This is sages.');
    type('Why?\r');
    await see('Live.');
    type('/help\r');
    await see('This is help.');
    expect(scripted.invocations.map(({ place }) => place.threadId)).toEqual([
      request.threadId,
      'terminal:local:chat:default',
    ]);
  });

  it('leave a number alone on a line to the council where it can answer', async () => {
    const { scripted, screen, type, see } = await open(recordings(false));
    expect(screen.text).not.toContain('Whether to move');
    type('1\r');
    await see('Live.');
    expect(scripted.asked.map(({ question }) => question)).toEqual(['1']);
    type('/recorded\r');
    await see('  /recorded 1  Whether to move');
  });

  it('are listed under an error for a number that none of them has', async () => {
    const { screen, type, see } = await open(recordings());
    type('9\r');
    await see('There is no recorded council 9. These are recorded:\n\n  1  Whether to move');
    expect(screen.text).not.toContain('Recorded council:');
  });

  it('are listed under an error for a command with anything but a number', async () => {
    const { scripted, type, see } = await open(recordings(false));
    type('/recorded moving\r');
    await see('There is no recorded council moving. These are recorded:\n\n  /recorded 1  Whether');
    type('recorded music is dead\r');
    await see('Live.');
    expect(scripted.asked.map(({ question }) => question)).toEqual(['recorded music is dead']);
  });

  it('end a pipe with a failure for a number that none of them has', async () => {
    const output = new PassThrough();
    const printed = text(output);
    const given = { recordings: recordings(false), first: '/recorded 9' };
    const { terminal } = await openTerminal(ingress(), output, given);
    expect(await terminal.finished).toBe('failed');
    output.end();
    expect(await printed).toContain(
      'There is no recorded council 9. These are recorded:\n\n  /recorded 1  Whether to move\n',
    );
  });

  it('come whole and at once through a pipe, and as the only line where one is given', async () => {
    const output = new PassThrough();
    const printed = text(output);
    const given = { recordings: recordings(false), first: '/recorded 1' };
    const { terminal } = await openTerminal(ingress(), output, given);
    expect(await terminal.finished).toBe('end');
    output.end();
    expect(await printed).toContain(`## Nassim Taleb\n\n${long}\n`);
  });
});
