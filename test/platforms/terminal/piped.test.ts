import { PassThrough, Writable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { openTerminal } from './opened-terminal.ts';
import { eventsByHand, ScriptedIngress } from './scripted-ingress.ts';
import {
  answered,
  answeredEnd,
  concluded,
  grew,
  marcus,
  ranked,
  reviewed,
  seated,
  told,
} from './turn-events.ts';

const answer = (words: string) => told(seated, answered('nassim_taleb', words), answeredEnd);

/** What a presented turn needs besides its request. */
const resumed = {
  isResumed: true,
  followUpMode: 'mention',
  wasAsked: async () => false,
  wantsPing: async () => false,
  keepShownAt: async () => undefined,
  assertHeld: async () => undefined,
  assertNotLost: async () => undefined,
  assertAwake: async () => undefined,
} as const;

/** Everything that is printed for these lines. */
async function printedFor(input: string, ingress: ScriptedIngress): Promise<string> {
  const output = new PassThrough();
  const printed = text(output);
  const { terminal, keyboard } = await openTerminal(ingress, output);
  keyboard.end(input);
  await terminal.finished;
  output.end();
  return printed;
}

describe('a pipe', () => {
  it('has each line answered as a question of one thread, in order, and then ends', async () => {
    const ingress = new ScriptedIngress(({ question }) => answer(`About ${question}`));
    const printed = await printedFor('First?\n\n   \nSecond?\r\nThird without an end', ingress);
    expect(ingress.asked.map(({ question }) => question)).toEqual([
      'First?',
      'Second?',
      'Third without an end',
    ]);
    expect(new Set(ingress.asked.map(({ threadId }) => threadId))).toEqual(
      new Set(['terminal:local:chat:default']),
    );
    expect(new Set(ingress.asked.map(({ eventId }) => eventId)).size).toBe(3);
    expect(printed).toContain('> First?\n\n## Nassim Taleb\n\nAbout First?\n');
    expect(printed.indexOf('About Second?')).toBeGreaterThan(printed.indexOf('About First?'));
  });

  it('asks the next question only when the one before is answered', async () => {
    const first = eventsByHand();
    const ingress = new ScriptedIngress(({ question }) =>
      question === 'First?' ? first.events : answer('The second.'),
    );
    const printed = printedFor('First?\nSecond?\n', ingress);
    first.tell(seated);
    await expect.poll(() => ingress.asked.length).toBe(1);
    first.tell(answered('nassim_taleb', 'The first.'), answeredEnd);
    expect((await printed).indexOf('The first.')).toBeLessThan(
      (await printed).indexOf('> Second?'),
    );
    expect(ingress.asked).toHaveLength(2);
  });

  it('gets answers whole, without a status and without terminal codes', async () => {
    const ingress = new ScriptedIngress(() =>
      told(
        seated,
        { type: 'sage_started', sage: marcus.sage.key },
        grew('marcus_aurelius', 'Do your du'),
        grew('marcus_aurelius', 'Do your duty \u001b[31mand'),
        answered('marcus_aurelius', 'Do your duty \u001b[31mand nothing else.'),
        answeredEnd,
      ),
    );
    const printed = await printedFor('Why?', ingress);
    expect(printed).toBe(
      'The rehearsal model speaks.\n\n> Why?\n\n## 🏛️ Marcus Aurelius\n\nDo your duty and nothing else.\n',
    );
  });

  it('at a terminal that can’t redraw is told each stage in a line, so that no minute is silent', async () => {
    const stage = (stage: 'moderator' | 'sages' | 'verdict') =>
      ({ type: 'stage_started', stage }) as const;
    const until = [stage('moderator'), seated, stage('sages')];
    const after = [answered('nassim_taleb', 'Wait.'), stage('verdict'), answeredEnd];
    const ingress = new ScriptedIngress(() => told(...until, ...after));
    const output = Object.assign(new PassThrough(), { isTTY: true });
    const printed = text(output);
    const { terminal, keyboard } = await openTerminal(ingress, output);
    keyboard.end('Why?');
    await terminal.finished;
    output.end();
    expect((await printed).slice((await printed).indexOf('> Why?'))).toBe(
      '> Why?\n\nThe council is being seated.\n\n0 of 2 answered, waiting for Marcus Aurelius and Nassim Taleb.\n\n## Nassim Taleb\n\nWait.\n\nThe chair is writing the verdict.\n',
    );
  });

  it('that is empty just ends', async () => {
    const ingress = new ScriptedIngress(() => answer('Nothing.'));
    expect(await printedFor('', ingress)).toBe('The rehearsal model speaks.\n');
  });

  it('can give commands, in their place among the questions', async () => {
    const ingress = new ScriptedIngress(() => answer('An answer.'));
    const printed = await printedFor('One?\n/council sages\nTwo?\n/nope\n/quit\nThree?', ingress);
    expect(ingress.invocations).toMatchObject([
      { command: 'sages', options: {}, place: { threadId: 'terminal:local:chat:default' } },
    ]);
    expect(printed).toContain('> /council sages\n\nThis is sages.\n\n> Two?');
    expect(printed).toContain('There is no command "nope".');
    expect(ingress.asked).toHaveLength(2);
  });

  it('takes a command’s name alone for the command, which is no question to pay for', async () => {
    const ingress = new ScriptedIngress(() => answer('An answer.'));
    await printedFor('sages\nGo deeper.\nSages?\ngo deeper into taxes', ingress);
    expect(ingress.invocations).toMatchObject([{ command: 'sages' }, { command: 'deeper' }]);
    expect(ingress.asked.map(({ question }) => question)).toEqual([
      'Sages?',
      'go deeper into taxes',
    ]);
  });

  it('can ask at a depth and of certain sages', async () => {
    const ingress = new ScriptedIngress(() => answer('An answer.'));
    await printedFor('/ask Why? --depth quick --sages "nassim_taleb, naval"', ingress);
    await printedFor('ask Why? --depth quick\nask Why not', ingress);
    expect(ingress.asked).toMatchObject([
      { question: 'Why?', depth: 'quick', sages: ['nassim_taleb', 'naval'] },
      { question: 'Why?', depth: 'quick' },
      { question: 'ask Why not' },
    ]);
  });

  it('goes on after a refusal, a failure to ask and a turn that breaks off', async () => {
    async function* broken() {
      yield seated;
      throw new Error('the model server fell over');
    }
    const ingress = new ScriptedIngress(({ question }) => {
      if (question === 'Long?') return { status: 'refused', reason: 'At most 4000 characters.' };
      if (question === 'Full?') throw new Error('The disk is full. Free some space.');
      return question === 'Broken?' ? broken() : answer('Fine.');
    });
    const printed = await printedFor('Long?\nFull?\nBroken?\nGood?', ingress);
    expect(printed).toContain('> Long?\n\nAt most 4000 characters.\n');
    expect(printed).toContain('> Full?\n\nThe disk is full. Free some space.\n');
    expect(printed).toContain('✗ This turn broke off: the model server fell over\n');
    expect(printed).toContain('Fine.');
    expect(ingress.faults).toHaveLength(1);
  });

  it('tells the question of a turn that was asked before the start', async () => {
    const ingress = new ScriptedIngress(() => answer('New.'));
    const output = new PassThrough();
    const printed = text(output);
    const { terminal, keyboard } = await openTerminal(ingress, output);
    const request = {
      turnId: 'old',
      threadId: 'terminal:local:chat:default',
      eventId: 'e',
      askedAt: 0,
      question: 'Old?',
      author: { id: 'local', name: 'Ada' },
    };
    await terminal.present(
      { ...resumed, request },
      answer('Old answer.'),
      new AbortController().signal,
    );
    keyboard.end();
    await terminal.finished;
    output.end();
    expect(await printed).toContain('resuming:\n> Old?\n\n## Nassim Taleb\n\nOld answer.');
  });

  it('tells a turn in its language', async () => {
    const output = new PassThrough();
    const printed = text(output);
    const { terminal, keyboard } = await openTerminal(
      new ScriptedIngress(() => answer('')),
      output,
    );
    const request = {
      turnId: 'old',
      threadId: 'terminal:local:chat:default',
      eventId: 'e',
      askedAt: 0,
      question: 'Sollen wir die Maschine neu bauen?',
      author: { id: 'local', name: 'Ada' },
      language: 'de',
    };
    await terminal.present(
      { ...resumed, request },
      told(
        { type: 'stage_started', stage: 'moderator' },
        seated,
        answered('nassim_taleb', 'Nein.'),
        answered('marcus_aurelius', 'Ja.'),
        reviewed('nassim_taleb'),
        ranked,
        { type: 'stage_started', stage: 'verdict' },
        concluded(),
        answeredEnd,
      ),
      new AbortController().signal,
    );
    keyboard.end();
    await terminal.finished;
    output.end();
    const page = await printed;
    expect(page).toContain('## Rangliste (blinde Stimmzettel: 1)');
    expect(page).toContain('## Fazit\n');
    expect(page).toContain('Sicherheit: ');
    expect(page).not.toMatch(/Verdict|Ranking|ballots|Confidence|Disagreements|Minority/);
  });

  it('never mixes two turns', async () => {
    const output = new PassThrough();
    const printed = text(output);
    const { terminal } = await openTerminal(new ScriptedIngress(() => answer('')), output);
    const present = (turnId: string, events: ReturnType<typeof answer>) =>
      terminal.present(
        {
          ...resumed,
          request: {
            turnId,
            eventId: turnId,
            question: `${turnId}?`,
            askedAt: 0,
            threadId: `terminal:local:chat:${turnId}`,
            author: { id: 'local', name: 'Ada' },
          },
        },
        events,
        new AbortController().signal,
      );
    const first = eventsByHand();
    const shown = Promise.all([present('first', first.events), present('second', answer('B.'))]);
    first.tell(seated, answered('nassim_taleb', 'A.'), answeredEnd);
    await shown;
    output.end();
    expect((await printed).match(/first\?|A\.|second\?|B\./g)).toEqual([
      'first?',
      'A.',
      'second?',
      'B.',
    ]);
  });

  it('whose reader has gone ends quietly, and any other failure to write is told', async () => {
    const failing = (code: string) =>
      new Writable({
        write(_chunk, _encoding, done) {
          done(Object.assign(new Error(code), { code }));
        },
      });
    const gone = await openTerminal(new ScriptedIngress(() => answer('')), failing('EPIPE'));
    await expect(gone.terminal.finished).resolves.toBe('end');
    const full = await openTerminal(new ScriptedIngress(() => answer('')), failing('ENOSPC'));
    await expect(full.terminal.finished).rejects.toThrow('ENOSPC');
  });

  it.each(['help', '?', ' help '])('reads %j alone on a line as a wish for help', async (line) => {
    const ingress = new ScriptedIngress(() => answer('Yes.'));
    await printedFor(`${line}\nhelp me choose a bank\nexit\nThree?`, ingress);
    expect(ingress.invocations.map(({ command }) => command)).toEqual(['help']);
    expect(ingress.asked.map(({ question }) => question)).toEqual(['help me choose a bank']);
  });
});
