import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { textReply } from '../../../commands/command.ts';
import { memory } from '../../../commands/memory.ts';
import { judgeByText } from '../../../src/bot/asking/overheard.ts';
import type { TerminalOptions } from '../../../src/platforms/terminal/terminal.ts';
import { commands, openTerminal } from './opened-terminal.ts';
import { Screen } from './screen.ts';
import { eventsByHand, ScriptedIngress } from './scripted-ingress.ts';
import { answered, answeredEnd, concluded, grew, seated, told } from './turn-events.ts';

const keys = {
  enter: '\r',
  interrupt: '\u0003',
  end: '\u0004',
  tab: '\t',
  up: '\u001b[A',
  clear: '\f',
};
const answer = (words: string) => told(seated, answered('nassim_taleb', words), answeredEnd);

async function open(ingress: ScriptedIngress, more: Partial<TerminalOptions> = {}, columns = 60) {
  const screen = new Screen(columns);
  const opened = await openTerminal(ingress, screen, { interactive: true, ...more });
  onTestFinished(() => opened.terminal.stop());
  return {
    ...opened,
    screen,
    type: (text: string) => void opened.keyboard.write(text),
    see: (text: string) => expect.poll(() => screen.text).toContain(text),
    seeNot: (text: string) => expect.poll(() => screen.text).not.toContain(text),
  };
}

/** A terminal whose first turn runs until `events` are told to end; later ones are answered at once. */
async function openRunning(more: Partial<TerminalOptions> = {}, columns = 60) {
  const first = eventsByHand();
  const ingress = new ScriptedIngress(() =>
    ingress.asked.length === 0 ? first.events : answer('A later answer.'),
  );
  const opened = await open(ingress, more, columns);
  opened.type(`First?${keys.enter}`);
  first.tell({ type: 'stage_started', stage: 'moderator' });
  await opened.see('The council is being seated.');
  return { ...opened, ingress, tell: first.tell };
}

describe('a person at a terminal', () => {
  it('seats no council by a thanks, and may ask it all the same', async () => {
    const ingress = new ScriptedIngress(() => answer('You are welcome.'));
    ingress.interpret = async (remark, _, read) => {
      const judged = judgeByText(remark);
      return judged === true ? read() : judged || undefined;
    };
    const { type, see } = await open(ingress);
    type(`Thanks, that helps!${keys.enter}`);
    await see('so no council was seated');
    type(`https://example.org/${keys.enter}`);
    await see('/receipt shows');
    type(`/ask thanks${keys.enter}`);
    await expect
      .poll(() => ingress.asked.map(({ question }) => question))
      .toEqual(['https://example.org/', 'thanks']);
  });

  it('gets the help for a greeting', async () => {
    const ingress = new ScriptedIngress(() => answer('Hello.'));
    ingress.interpret = async () => 'greeting';
    ingress.command = async ({ command }) => textReply(`The words of ${command}.`);
    const { type, see } = await open(ingress);
    type(`hello${keys.enter}`);
    await see('The words of help.');
    expect(ingress.asked).toEqual([]);
  });

  it('asks what the verdict suggests by its number, and waits for the answer', async () => {
    const ingress = new ScriptedIngress(() => answer('Ask a smith.'));
    ingress.command = async ({ place, person }) => {
      const author = { id: person.id, name: person.name };
      const { threadId } = place;
      const about = { follows: { turnId: 'turn-0' }, question: 'Who makes one?', askedAt: 1 };
      const asked = await ingress.ask({ ...about, threadId, author, eventId: 'next:turn-0:1' });
      const reply = textReply('The council is being seated.');
      return asked.status === 'accepted' ? { ...reply, asked } : reply;
    };
    const { screen, type, see } = await open(ingress);
    type(`/next 1${keys.enter}`);
    await see('Ask a smith.');
    await see('› Ask the council, or /help');
    expect(screen.text).toContain('asks what the verdict suggested.');
    expect(screen.text).toContain('Who makes one?');
    expect(screen.text).not.toContain('Asked elsewhere');
  });

  it('sees the questions that the verdict suggests with their commands', async () => {
    const suggests = concluded({ nextQuestions: ['Which barbell?'] });
    const { type, see } = await open(
      new ScriptedIngress(() => told(seated, suggests, answeredEnd)),
    );
    type(`Why?${keys.enter}`);
    await see('/next 1: Which barbell?');
  });

  it('sees that a turn goes deeper, and is not told that it was asked elsewhere', async () => {
    const ingress = new ScriptedIngress(() => answer('Ask a smith.'));
    ingress.command = async ({ place: { threadId }, person: { id, name } }) => {
      const about = { deepens: 'turn-0', question: 'Who makes one?', askedAt: 1 };
      const author = { id, name };
      const asked = await ingress.ask({ ...about, threadId, author, eventId: 'deeper:turn-0' });
      const reply = textReply('The council is being seated.');
      return asked.status === 'accepted' ? { ...reply, asked } : reply;
    };
    const { screen, type, see } = await open(ingress);
    type(`/deeper${keys.enter}`);
    await see('Ask a smith.');
    expect(screen.text).toContain('goes deeper into an earlier verdict.');
    expect(screen.text).not.toContain('Asked elsewhere');
  });

  it('waits for nothing when a command has asked before', async () => {
    const ingress = new ScriptedIngress(() => answer('Ask a smith.'));
    ingress.command = async () => ({
      ...textReply('It was asked.'),
      asked: { turnId: 'turn-0', isNew: false, turnsBefore: 0 },
    });
    const { type, see } = await open(ingress);
    type(`/next 1${keys.enter}`);
    await see('It was asked.');
    await see('› Ask the council, or /help');
  });

  it('is welcomed, asks, and sees the question, the answers and the next prompt', async () => {
    const { screen, type, see } = await open(new ScriptedIngress(() => answer('Use a barbell.')));
    await see('› Ask the council, or /help');
    type(`Why?${keys.enter}`);
    await see('/receipt shows');
    await see('› Ask the council, or /help');
    expect(screen.text).toBe(
      `The rehearsal model speaks.

› Why?

## Nassim Taleb

Use a barbell.

/receipt shows how this came about and what it cost.

› Ask the council, or /help`,
    );
  });

  it('sees an answer grow above the status, and neither is left behind', async () => {
    const { screen, tell, see, seeNot } = await openRunning();
    tell(
      seated,
      { type: 'stage_started', stage: 'sages' },
      { type: 'sage_started', sage: 'nassim_taleb' },
      grew('nassim_taleb', 'Use a barbell of safe things and of wild ones, and then wait for '),
    );
    await see('Use a barbell of safe things and of wild ones, and then\nwait for\n');
    await see('waiting for Marcus Aurelius and Na');
    tell(
      answered(
        'nassim_taleb',
        'Use a barbell of safe things and of wild ones, and then wait for it.',
      ),
    );
    await see('wait for it.');
    tell(answeredEnd);
    await seeNot('waiting for Marcus Aurelius and Na');
    expect(screen.text.match(/Use a barbell/g)).toHaveLength(1);
    expect(screen.text.match(/wait for/g)).toHaveLength(1);
  });

  it('has what was typed ahead asked afterwards, in order', async () => {
    const { ingress, screen, type, tell, see, seeNot } = await openRunning();
    type(`Second?${keys.enter}/sages${keys.enter}Third?${keys.enter}not sent`);
    await see('  then: Second?\n  then: /sages\n  then: Third?\n› not sent');
    expect(ingress.asked).toHaveLength(1);
    tell(answeredEnd);
    await expect
      .poll(() => ingress.asked.map(({ question }) => question))
      .toEqual(['First?', 'Second?', 'Third?']);
    await seeNot('then:');
    await see('› not sent');
    const places = ['› Second?', 'This is sages.', '› Third?', '› not sent'].map((words) =>
      screen.text.indexOf(words),
    );
    expect(places).toEqual(places.toSorted((one, other) => one - other));
  });

  it('stops the turn with Ctrl-C, keeps what was said and what is typed, and goes on', async () => {
    const { ingress, type, tell, see, seeNot } = await openRunning();
    ingress.onStop = () =>
      tell(answered('nassim_taleb', 'Use a', { status: 'stopped' }), {
        type: 'ended',
        end: { outcome: 'stopped', explanation: 'Stopped on request.' },
      });
    tell(seated, grew('nassim_taleb', 'Use a '));
    type('half a thought');
    await see('Use a');
    type(keys.interrupt);
    await see('Use a\n(stopped here)');
    await see('Stopped on request.');
    await see('› half a thought');
    await seeNot('Stopping the turn');
    expect(ingress.stopped).toEqual(['turn-1']);
  });

  it('leaves with a second Ctrl-C while the turn is being stopped', async () => {
    const { terminal, ingress, screen, type, see } = await openRunning();
    type(keys.interrupt);
    await see('Stopping the turn. Ctrl-C again quits.');
    type(keys.interrupt);
    await terminal.finished;
    expect(ingress.stopped).toEqual(['turn-1']);
    expect(screen.text).not.toContain('the moderator seats');
  });

  it('is told by the first Ctrl-C at an empty prompt that the second one leaves', async () => {
    const { terminal, type, see, seeNot } = await open(new ScriptedIngress(() => answer('')));
    type(keys.interrupt);
    await see('Ctrl-C again quits.');
    type('x');
    await seeNot('Ctrl-C again quits.');
    type(keys.interrupt);
    await see('› Ask the council');
    type(keys.interrupt);
    await see('Ctrl-C again quits.');
    type(keys.interrupt);
    await terminal.finished;
  });

  it.each([
    ['Ctrl-D', keys.end],
    ['/quit', `/quit${keys.enter}`],
    ['quit', `quit${keys.enter}`],
    ['exit with a blank', `exit ${keys.enter}`],
    ['/council exit', `/council exit${keys.enter}`],
  ])('leaves with %s, and the screen is tidy', async (_what, typed) => {
    const { terminal, screen, type } = await open(new ScriptedIngress(() => answer('')));
    type(typed);
    await terminal.finished;
    expect(screen.text).toBe('The rehearsal model speaks.');
    expect(screen.cursor).toEqual({ row: 1, column: 0 });
  });

  it('is told on leaving what was not asked', async () => {
    const { terminal, screen, type, see } = await openRunning();
    type(`Second?${keys.enter}`);
    await see('then: Second?');
    type(keys.end);
    await terminal.finished;
    expect(screen.text).toContain('1 typed ahead, but not asked.');
  });

  it('asks one question by pasting many lines', async () => {
    const ingress = new ScriptedIngress(() => answer('Fine.'));
    const { type, see } = await open(ingress);
    type('\u001b[200~Line one\r\n\tline \u001b[31mtwo\n\n\u001b[201~');
    await see('› Line one↵\n    line two');
    type(keys.enter);
    await see('› Line one\n    line two\n');
    expect(ingress.asked.map(({ question }) => question)).toEqual(['Line one\n  line two']);
  });

  it('pastes into the line where the cursor is, however the paste arrives', async () => {
    const { type, see, seeNot } = await open(new ScriptedIngress(() => answer('')));
    type('納 b\u001b[D');
    for (const part of ['\u001b[20', '0~one\r\ntw', 'o 👩‍🚀\u0003\t', '\u001b[201', '~'])
      type(part);
    await see('› 納 one↵\n  two 👩‍🚀  b');
    await seeNot('again leaves');
  });

  it('completes commands with Tab', async () => {
    const { type, see } = await open(new ScriptedIngress(() => answer('')));
    type('/council sa');
    await see('› /council sa');
    type(keys.tab);
    await see('› /council sages');
    type('\u0015/s');
    await see('› /s');
    type(keys.tab);
    await see('/sages   /stop');
  });

  it('finds in a new session what was typed in an earlier one', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'council-history-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    const historyPath = join(folder, 'data', 'history');
    const first = await open(new ScriptedIngress(() => answer('Fine.')), { historyPath });
    first.type(`Why?${keys.enter}`);
    await first.see('Fine.');
    await expect.poll(() => readFile(historyPath, 'utf8')).toBe('Why?\n');
    const second = await open(new ScriptedIngress(() => answer('')), { historyPath });
    second.type(keys.up);
    await second.see('› Why?');
  });

  it.each(['mine', 'channel'])('no longer finds what was typed after forget %s', async (what) => {
    const folder = await mkdtemp(join(tmpdir(), 'council-history-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    const historyPath = join(folder, 'history');
    const ingress = new ScriptedIngress(() => answer('Fine.'));
    const { type, see } = await open(ingress, { historyPath, commands: [...commands, memory] });
    type(`Why?${keys.enter}`);
    await see('Fine.');
    const forget = `/council memory forget ${what}`;
    type(`${forget}${keys.enter}`);
    await see('This is memory.');
    await see('› Ask the council, or /help');
    expect(await readFile(historyPath, 'utf8')).toContain('Why?\n');
    type(`${forget} --confirm${keys.enter}`);
    await expect.poll(() => readFile(historyPath, 'utf8')).toBe('');
    expect(ingress.invocations.at(-1)?.options).toEqual({ do: 'forget', what, confirm: true });
    type(`${keys.up}x`);
    await see('› x');
  });

  it('is told when what was typed before cannot be read, and can ask all the same', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'council-history-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    const opened = await open(new ScriptedIngress(() => answer('Fine.')), { historyPath: folder });
    await opened.see("Your input history can't be used");
    opened.type(`Why?${keys.enter}`);
    await opened.see('Fine.');
  });

  it('sees a window made narrower and wider again without a line twice', async () => {
    const { screen, tell, see } = await openRunning({}, 70);
    const words = 'one two three four five six seven eight nine ten eleven twelve ';
    tell(
      seated,
      { type: 'stage_started', stage: 'sages' },
      { type: 'sage_started', sage: 'nassim_taleb' },
    );
    tell(grew('nassim_taleb', words));
    await see('eleven twelve');
    screen.columns = 100;
    screen.emit('resize');
    tell(answered('nassim_taleb', `${words}thirteen`), answeredEnd);
    await see('thirteen');
    await see('/receipt shows');
    expect(screen.text.match(/eleven/g)).toHaveLength(1);
    expect(screen.text.match(/›/g)).toHaveLength(2);
  });

  it('has the cursor where the next letter goes, wide letters and all', async () => {
    const { screen, type, see } = await open(new ScriptedIngress(() => answer('')), {}, 30);
    type('納瓦爾 👩‍🚀 ab\u001b[D');
    await see('› 納瓦爾 👩‍🚀 ab');
    await expect.poll(() => screen.cursor.column).toBe(13);
    type('x'.repeat(30));
    await see('xxb');
    const rows = screen.text.split('\n').slice(-2);
    expect(rows).toEqual(['› 納瓦爾 👩‍🚀 axxxxxxxxxxxxxxxx', '  xxxxxxxxxxxxxxb']);
    expect(screen.cursor.column).toBe(16);
  });

  it('leaves for the set-up with that word alone', async () => {
    const { terminal, type } = await open(new ScriptedIngress(() => answer('')));
    type(`setup${keys.enter}`);
    expect(await terminal.finished).toBe('setup');
  });

  it('empties the screen with Ctrl-L, but not the line', async () => {
    const { screen, type, see, seeNot } = await open(new ScriptedIngress(() => answer('')));
    type('kept');
    await see('› kept');
    type(keys.clear);
    await seeNot('rehearsal');
    expect(screen.text.trim()).toBe('› kept');
    type(' on');
    await see('› kept on');
    expect(screen.timesKept).toBe(0);
  });
});
