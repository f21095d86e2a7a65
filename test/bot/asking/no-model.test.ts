import { describe, expect, test } from 'vitest';
import { whoWouldSit } from '../../../src/bot/asking/likely-seats.ts';
import type { Sage } from '../../../src/domain/turn.ts';
import { absentModel, ModelError, noModelWords } from '../../../src/models/chat-model.ts';
import { absentModels } from '../../models/absent-models.ts';
import { question, startBot } from '../bot-fixture.ts';
import { command, textOf } from '../commanding.ts';

describe('a bot without a model', () => {
  test('refuses a question in plain words, stores nothing, and says who would sit', async () => {
    const { bot, store, platform } = await startBot(absentModels);
    const asked = await bot.ask({ ...question, sages: ['ben'] });
    expect(asked).toEqual({
      status: 'refused',
      reason: `${noModelWords}\n\nBen Sage would sit: you named them.`,
    });
    expect(await store.turns.unfinished(9)).toEqual([]);
    expect(platform.shown).toEqual([]);
  });

  test('says the same for a sage that is to be made, and still answers what needs no model', async () => {
    const { bot } = await startBot(absentModels);
    const options = { name: 'The Gardener', description: 'Grows things slowly.' };
    expect(textOf(await command(bot, 'summon', options))).toContain(noModelWords);
    expect(textOf(await command(bot, 'sages'))).toContain('Ben');
  });

  test('fails a turn that an earlier start has left, with the same words', async () => {
    const signal = new AbortController().signal;
    const call = absentModel.complete({ messages: [], stage: 'sage', signal });
    await expect(call).rejects.toBeInstanceOf(ModelError);
    await expect(call).rejects.toThrow(noModelWords);
  });
});

describe('who would sit', () => {
  const sage = (key: string, name: string, description: string): Sage => ({
    key,
    name,
    description,
    source: 'predefined',
  });
  const bench = [
    sage('lawyer', 'Lawyer', 'Legal eye; seat it for contracts, liability and disputes.'),
    sage('economist', 'Economist', 'Incentives and trade-offs; seat it for prices and pay.'),
    sage('general', 'Generalist', 'Looks at all of it; seat it when no other sage fits better.'),
  ];
  const council = { bench, seats: 'moderated', maxSages: 2, fallbackSage: 'general' } as const;
  const told = (text: string, sages?: readonly string[]) =>
    whoWouldSit({ question: text, ...(sages ? { sages } : {}) }, council);

  test('are those whose description shares a word with the question, and which word', async () => {
    expect(await told('Is this contract worth the price?')).toBe(
      [
        'By their descriptions, these would probably sit:',
        '- Lawyer (Legal eye): you speak of “contract”',
        '- Economist (Incentives and trade-offs): you speak of “price”',
      ].join('\n'),
    );
  });

  test('is the one who sits when no other fits, where nothing is shared', async () => {
    expect(await told('Sollen wir umziehen?')).toMatch(/^Generalist \(.*would probably sit\./);
  });

  test('are the fixed seats of the channel', async () => {
    const fixed = { ...council, seats: ['lawyer', 'economist'] };
    expect(await whoWouldSit({ question: 'Why?' }, fixed)).toContain(
      'Lawyer and Economist would sit',
    );
  });
});
