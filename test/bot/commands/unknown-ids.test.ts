/** What people read who give an id or a name that leads nowhere. */

import { expect, test } from 'vitest';
import { commands } from '../../../commands/index.ts';
import { parseCommandLine } from '../../../src/platforms/chat/text/command-line.ts';
import { scriptedModels, wholeScript } from '../../council/scripted-council.ts';
import { question, startBot } from '../bot-fixture.ts';
import { channelManager, command, textOf } from '../commanding.ts';

async function answered() {
  const started = await startBot(scriptedModels(wholeScript));
  await started.bot.ask(question);
  await started.idle();
  return started;
}

test('nothing long is said back to them', async () => {
  const { bot } = await answered();
  const long = 'x'.repeat(3000);
  for (const [name, options] of [
    ['receipt', { turn: long }],
    ['again', { sage: long }],
    ['again', { sage: 'ada', model: long }],
    ['ask', { question: 'Why?', preset: long }],
    ['preset', { do: 'remove', name: long }],
    ['preset', { do: 'save', name: long, description: 'For hiring', sages: 'ada' }],
    ['config', { change: long }],
    ['memory', { what: long }],
    ['memory', { do: 'unpin', what: long }],
  ] as const) {
    const reply = await command(bot, name, options, channelManager);
    expect([name, reply.isRefusal]).toEqual([name, true]);
    expect(textOf(reply).length).toBeLessThan(1200);
  }
});

test('a turn that is to be stopped and is not there is not said to have ended', async () => {
  const { bot } = await answered();
  const text = textOf(await command(bot, 'stop', { turn: 'nowhere' }));
  expect(text).toContain('There is no turn “nowhere”');
  expect(text).not.toContain('latest');
});

test('a turn that is to be forgotten is offered as the command takes it', async () => {
  const { bot, store } = await answered();
  for (const what of ['turn', 'turn nowhere']) {
    const reply = await command(bot, 'memory', { do: 'forget', what });
    // Unlike a receipt, it is of no turn without an id.
    expect(textOf(reply)).not.toContain('Leave the id out');
    const [choice] = reply.blocks.flatMap((block) =>
      block.type === 'choices' ? block.choices : [],
    );
    const line = parseCommandLine(choice?.command ?? '', commands);
    if (line.status !== 'read') throw new Error(line.message);
    const preview = await command(bot, line.command, line.options);
    expect(textOf(preview)).toContain('This would be deleted: 1 question, 4 answers');
  }
  expect(await store.turns.list(question.threadId, { limit: 5 })).toHaveLength(1);
});

test('a page beyond the last shows the last', async () => {
  const { bot } = await answered();
  const text = textOf(await command(bot, 'memory', { page: 99 }));
  expect(text).toContain('Page 1 of 1');
  expect(text).toContain('Ada says yes.');
});
