import { expect, test } from 'vitest';
import { commands } from '../../../commands/index.ts';
import { readSpokenLine } from '../../../src/platforms/chat/text/spoken-line.ts';
import { scriptedModels } from '../../council/scripted-council.ts';
import { startBot } from '../bot-fixture.ts';
import { channelManager, command } from '../commanding.ts';

test.each([
  ['preset', {}, ['do', 'name', 'description', 'sages']],
  ['preset', { do: 'remove' }, ['do', 'name']],
  ['memory', { do: 'search' }, ['do', 'what']],
  ['memory', { do: 'edit' }, ['do', 'what', 'text']],
  ['summon', {}, ['name', 'description']],
])(
  'an example of %s for %j names its options as Discord does, and can be typed elsewhere',
  async (name, options, named) => {
    const { bot } = await startBot(scriptedModels({}));
    const [shown] = (await command(bot, name, options, channelManager)).blocks;
    const text = shown?.type === 'text' ? shown.text : '';
    const example =
      new RegExp(`${name} \\w+:.*(?=\\.$)|${name} \\w+:.*`, 's').exec(text)?.[0] ?? '';
    const read = readSpokenLine(example, commands);
    expect(read.status === 'read' ? Object.keys(read.options) : read.message).toEqual(named);
  },
);
