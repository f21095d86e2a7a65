import { describe, expect, test } from 'vitest';
import { answer, type Script, scriptedModels, seating } from '../../council/scripted-council.ts';
import { place, question, startBot } from '../bot-fixture.ts';

const seneca = { name: 'Seneca', description: 'Weighs what can be lost.' };

/** A council of Ada and an invented Seneca, who says that much. */
function withSeneca(...says: readonly string[]): Script {
  return {
    moderator: [seating(['ada'], {}, [seneca])],
    sages: { ada: [answer('Yes.')], new_seneca: says.map(answer) },
    chair: [
      '{"verdict":"Yes.","consensus":[],"disagreements":[],"minority_report":"","confidence":"low"}',
    ],
  };
}

const first = { ...question, depth: 'quick' as const };
const again = (text: string, more: object = {}) => ({
  ...question,
  eventId: `event-${text}`,
  question: text,
  ...more,
});

describe('a sage that was invented for an earlier turn of the thread', () => {
  test('is asked alone by its name, as it was then', async () => {
    const models = scriptedModels(withSeneca('Prepare.', 'Prepare more.'));
    const { bot, store, idle } = await startBot(models);
    await bot.ask(first);
    await idle();
    const asked = await bot.ask(again('Seneca: and if we lose?'));
    await idle();
    if (asked.status !== 'accepted') throw new Error(JSON.stringify(asked));
    const record = await store.turns.read({ ...first, ...asked });
    expect(record?.messages.map(({ sage }) => sage)).toEqual([undefined, 'new_seneca']);
    expect(record?.outcome).toBe('answered');
    const prompt = JSON.stringify(models.sage({ key: 'new_seneca' }).requests[1]?.messages);
    expect(prompt).toContain('Weighs what can be lost.');
    expect(models.unsaid()).toBe(0);
  });

  test('is asked by its key, also beside one of the bench, and is among those who can be addressed', async () => {
    const script = withSeneca('Prepare.', 'Prepare more.');
    const models = scriptedModels({
      ...script,
      sages: { ...script.sages, ben: [answer('No.')] },
      chair: [...(script.chair ?? []), ...(script.chair ?? [])],
    });
    const { bot, idle } = await startBot(models);
    await bot.ask(first);
    await idle();
    const speakers = await bot.addressableSages(place);
    expect(speakers.map(({ key }) => key)).toEqual([
      'ada',
      'ben',
      'cleo',
      'dan',
      'eve',
      'new_seneca',
    ]);
    await bot.ask(again('Both of you?', { sages: ['ben', 'new_seneca'], depth: 'quick' }));
    await idle();
    expect(models.unsaid()).toBe(0);
  });

  test('is no one in another thread, or where no one may be invented any more', async () => {
    const models = scriptedModels(withSeneca('Prepare.'));
    const { bot, idle } = await startBot(models);
    await bot.ask(first);
    await idle();
    const elsewhere = { threadId: 'test:w:c:other', sages: ['new_seneca'] };
    expect(await bot.ask(again('And here?', elsewhere))).toMatchObject({
      reason: expect.stringContaining('Not on this bench'),
    });
    const manager = { id: 'm', name: 'Mia', isManager: true, isServerManager: true };
    const options = { changes: { maxDynamicSages: 0 } };
    await bot.command({ place, person: manager, command: 'config', options });
    expect(await bot.ask(again('And now?', { sages: ['new_seneca'] }))).toMatchObject({
      status: 'refused',
    });
  });

  test('is no one to be asked once its file is gone, and the council isn’t asked in its place', async () => {
    const models = scriptedModels({ sages: { ben: [answer('No.')] } });
    const { bot, idle } = await startBot(models);
    await bot.ask(again('Ben: should we?'));
    await idle();
    const manager = { id: 'm', name: 'Mia', isManager: true, isServerManager: true };
    const options = { changes: { bench: 'Ada, cleo' } };
    await bot.command({ place, person: manager, command: 'config', options });
    const reason = 'Not on this bench: “Ben Sage”. You can choose from: Ada Sage, Cleo Sage.';
    for (const gone of [again('Ben, and now?'), again('And now?', { sages: ['ben'] })]) {
      expect(await bot.ask(gone)).toEqual({ status: 'refused', reason });
    }
  });

  test('does not take the place of one of the bench with the same name', async () => {
    const models = scriptedModels({
      ...withSeneca('Prepare.'),
      sages: { ...withSeneca('Prepare.').sages, ada: [answer('Yes.'), answer('Still.')] },
    });
    const { bot, idle } = await startBot(models);
    await bot.ask(first);
    await idle();
    await bot.ask(again('Ada: and if we lose?'));
    await idle();
    expect(models.unsaid()).toBe(0);
  });
});
