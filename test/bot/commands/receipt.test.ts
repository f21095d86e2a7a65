import { describe, expect, test } from 'vitest';
import type { Reply } from '../../../commands/command.ts';
import { readRecording, storeRecording } from '../../../src/app/recordings.ts';
import {
  answer,
  ranks,
  type Script,
  scriptedModels,
  verdict,
  wholeScript,
} from '../../council/scripted-council.ts';
import { CollectingPlatform, person, place, question, startBot } from '../bot-fixture.ts';

const oneAnswer: Script = { sages: { ben: [answer('No.')] } };
const toBen = { ...question, sages: ['ben'] };

function textOf(reply: { readonly blocks: readonly unknown[] }): string {
  return JSON.stringify(reply.blocks);
}

describe('a receipt', () => {
  test('tells seats, ballots, calls and cost of the last turn', async () => {
    const { bot, idle } = await startBot(scriptedModels(wholeScript));
    await bot.ask(question);
    await idle();
    const reply = await bot.command({ place, person, command: 'receipt', options: {} });
    const text = textOf(reply);
    for (const part of [
      'Chosen by the moderator',
      '4 read, 0 abstained',
      'agreement 1.00',
      'aligned (4 whole ballots: Kendall’s W 1.00, the favourite has 100 % of first places, ',
      'Dan Sage',
      '11 calls',
      '"name":"Remembered","value":"nothing"',
    ]) {
      expect(text).toContain(part);
    }
    expect(text).toContain('own answer');
    expect(text).toContain('Ada Sage (test:sage-ada), Ben Sage (test:sage-ben)');
    // Slack takes one table a message.
    expect(reply.blocks.filter(({ type }) => type === 'table')).toHaveLength(1);
    expect(text).not.toMatch(/"\w+_\w+"/);
  });

  test('of a verdict that the chair repeated says that no sage sat, as do its seats', async () => {
    const seats = { predefined_chosen_sages: [], new_sages_to_create: [] };
    const alone = JSON.stringify({ ...seats, alone: 'chair' });
    const moderator = [...(wholeScript.moderator ?? []), alone];
    const { bot, idle } = await startBot(
      scriptedModels({ ...wholeScript, moderator, chair: [verdict, verdict] }),
    );
    for (const eventId of ['1', '2']) {
      await bot.ask({ ...question, eventId });
      await idle();
    }
    const views = [{ command: 'receipt' }, { command: 'reviews', options: { show: 'seats' } }];
    for (const { command, options = {} } of views) {
      const reply = await bot.command({ place, person, command, options });
      expect(textOf(reply)).toContain('No sage: the chair answered from what was said before.');
    }
  });

  test('names calls as people do, and says in what a reviewer’s own answer stood higher', async () => {
    const votes = ranks('Ben says no.', 'Ada says yes.', 'Dan says in parts.', 'Cleo says later.');
    const script = { ...wholeScript, reviews: { ...wholeScript.reviews, ben: [votes] } };
    const { bot, idle } = await startBot(scriptedModels(script));
    await bot.ask(question);
    await idle();
    const reply = await bot.command({ place, person, command: 'receipt', options: {} });
    for (const part of ['"sage Dan Sage"', '"review Ben Sage"', '"own answer"']) {
      expect(textOf(reply)).toContain(part);
    }
    expect(textOf(reply)).toMatch(/their own answers \d\.\d\d places higher/);
  });

  test('names who abstained, and says why', async () => {
    const said = 'All of them are fine.';
    const script = { ...wholeScript, reviews: { ...wholeScript.reviews, dan: [said] } };
    const { bot, idle } = await startBot(scriptedModels(script));
    await bot.ask(question);
    await idle();
    const reply = await bot.command({ place, person, command: 'receipt', options: {} });
    expect(textOf(reply)).toContain('3 read, 1 abstained');
    expect(textOf(reply)).toMatch(/"name":"Abstained: Dan Sage","value":"[^"]+"/);
  });

  test('calls a cost that is not known unknown', async () => {
    const prices = { own: () => undefined, listed: () => undefined };
    const { bot, idle } = await startBot(scriptedModels(wholeScript), { prices });
    await bot.ask(question);
    await idle();
    const reply = await bot.command({ place, person, command: 'receipt', options: {} });
    expect(textOf(reply)).toMatch(/Unknown for 11 calls, \d+ tokens in, \d+ out: no price is set/);
    expect(textOf(reply)).not.toContain('$0');
  });

  test('asked for the moment the end is shown tells of the end', async () => {
    const replies: Promise<Reply>[] = [];
    const platform = new CollectingPlatform();
    platform.onEnd = () =>
      replies.push(bot.command({ place, person, command: 'receipt', options: {} }));
    const { bot, idle } = await startBot(scriptedModels(oneAnswer), { platforms: [platform] });
    await bot.ask(toBen);
    await idle();
    expect(replies).toHaveLength(1);
    expect((await Promise.all(replies)).map(textOf)).toEqual([
      expect.stringContaining('"value":"answered"'),
    ]);
  });

  test('of another channel is as unknown as one that does not exist', async () => {
    const { bot, idle } = await startBot(scriptedModels(oneAnswer));
    const asked = await bot.ask({ ...toBen, threadId: 'test:w:private:t' });
    await idle();
    const turn = asked.status === 'accepted' ? asked.turnId : '';
    const foreign = await bot.command({ place, person, command: 'receipt', options: { turn } });
    expect(textOf(foreign)).toContain('in this channel. Leave the id out');
    expect(textOf(foreign)).not.toContain('Ben');
  });
});

describe('in the thread of a recorded council', () => {
  const turn = readRecording('father');
  const { threadId } = turn.request;
  const recorded = { ...place, platform: 'recorded', threadId };

  test('what was said is labelled as recorded, and what shows no turn is not', async () => {
    const { bot, store } = await startBot(scriptedModels(wholeScript));
    await storeRecording(store, turn);
    const run = (command: string) =>
      bot.command({ place: recorded, person, command, options: {} }).then(textOf);
    for (const command of ['receipt', 'reviews', 'export', 'memory']) {
      expect(await run(command), command).toMatch(/^.{0,30}Recorded: /);
    }
    expect(await run('help')).not.toContain('Recorded: ');
    expect(await run('sages')).not.toContain('Recorded: ');
  });
});
