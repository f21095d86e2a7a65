import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { createOneShot, type OneShotOptions } from '../../../src/platforms/terminal/terminal.ts';
import { writeJson } from '../../../src/platforms/terminal/terminal-text.ts';
import { Screen } from './screen.ts';
import { eventsByHand, ScriptedIngress } from './scripted-ingress.ts';
import { answered, answeredEnd, concluded, seated, told } from './turn-events.ts';

async function start(ingress: ScriptedIngress, more: Partial<OneShotOptions>) {
  const output = new PassThrough();
  const oneShot = createOneShot({
    output,
    shown: 'plain',
    colour: false,
    thread: 'work',
    question: 'Why?',
    choice: {},
    person: { id: 'local', name: 'Ada', isManager: true, isServerManager: true },
    filesFolder: '/nowhere',
    ...more,
  });
  ingress.platform = oneShot;
  const printed = text(output);
  await oneShot.start(ingress);
  return {
    oneShot,
    async printed() {
      output.end();
      return printed;
    },
  };
}

const answer = () => told(seated, answered('nassim_taleb', 'Use a barbell.'), answeredEnd);

describe('one question from the command line', () => {
  it('is asked as it was given, answered whole, and tells how the turn ended', async () => {
    const ingress = new ScriptedIngress(answer);
    const choice = { depth: 'quick', sages: ['nassim_taleb'] } as const;
    const { oneShot, printed } = await start(ingress, { choice });
    expect(await oneShot.finished).toEqual({
      status: 'shown',
      turnId: 'turn-1',
      end: { outcome: 'answered', explanation: '' },
    });
    expect(ingress.asked).toMatchObject([
      { threadId: 'terminal:local:chat:work', question: 'Why?', ...choice },
    ]);
    expect(await printed()).toBe('\n## Nassim Taleb\n\nUse a barbell.\n');
  });

  it('goes with the files that it is about', async () => {
    const ingress = new ScriptedIngress(answer);
    const attached = [import.meta.filename];
    const { oneShot } = await start(ingress, { attached });
    await oneShot.finished;
    const [message] = ingress.asked[0]?.heard?.messages ?? [];
    expect(message).toMatchObject({
      isMeant: true,
      text: '',
      sources: [{ status: 'pointed', name: 'one-shot.test.ts', address: import.meta.filename }],
    });
    const { signal } = new AbortController();
    const opened = await oneShot.openFile('', import.meta.filename, signal);
    const read = opened.status === 'open' ? await text(opened.stream) : '';
    expect(read).toContain('goes with the files');
  });

  it('prints nothing of its own where something else is to be printed', async () => {
    const { oneShot, printed } = await start(new ScriptedIngress(answer), { shown: 'silent' });
    await oneShot.finished;
    expect(await printed()).toBe('');
  });

  it('shows on a terminal who is at work, and tidies up', async () => {
    const screen = new Screen(60);
    const hand = eventsByHand();
    const ingress = new ScriptedIngress(() => hand.events);
    const { oneShot } = await start(ingress, { shown: 'live', output: screen });
    hand.tell({ type: 'stage_started', stage: 'moderator' });
    await expect.poll(() => screen.text).toContain('The council is being seated.');
    hand.tell(seated, answered('nassim_taleb', 'Use a barbell.'), answeredEnd);
    await oneShot.finished;
    expect(screen.text).toContain('Use a barbell.');
    expect(screen.text).not.toContain('The council is being seated.');
  });

  it('offers no command on a terminal, where a shell would take it', async () => {
    const screen = new Screen(60);
    const suggests = concluded({ nextQuestions: ['Which barbell?'] });
    const ingress = new ScriptedIngress(() => told(seated, suggests, answeredEnd));
    const { oneShot } = await start(ingress, { shown: 'live', output: screen });
    await oneShot.finished;
    expect(screen.text).toContain('Do both.');
    expect(screen.text).not.toContain('/next');
  });

  it('can be stopped', async () => {
    const hand = eventsByHand();
    const ingress = new ScriptedIngress(() => hand.events);
    const { oneShot } = await start(ingress, {});
    await expect.poll(() => ingress.asked.length).toBe(1);
    ingress.onStop = () =>
      hand.tell({ type: 'ended', end: { outcome: 'stopped', explanation: 'Stopped.' } });
    expect(await oneShot.interrupt()).toBe(true);
    expect(await oneShot.finished).toMatchObject({ end: { outcome: 'stopped' } });
    expect(await oneShot.interrupt()).toBe(false);
  });

  it('that is refused says why', async () => {
    const ingress = new ScriptedIngress(() => ({
      status: 'refused',
      reason: 'The budget is used up.',
    }));
    const { oneShot, printed } = await start(ingress, {});
    expect(await oneShot.finished).toEqual({ status: 'refused', reason: 'The budget is used up.' });
    expect(await printed()).toContain('The budget is used up.');
  });

  it('that cannot be asked fails with the cause', async () => {
    const ingress = new ScriptedIngress(() => {
      throw new Error('The disk is full.');
    });
    const { oneShot } = await start(ingress, {});
    await expect(oneShot.finished).rejects.toThrow('The disk is full.');
  });
});

describe('a turn as JSON', () => {
  it('is one object that says the same when it is read, without anything a terminal obeys', async () => {
    const output = new PassThrough();
    const value = { answer: 'red \u001b[31m \u009b31m \u202e 納瓦爾 👩‍🚀\nnext' };
    writeJson(output, value);
    output.end();
    const json = await text(output);
    expect(JSON.parse(json)).toEqual(value);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
    expect(json).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/);
  });
});
