import { describe, expect, test } from 'vitest';
import { hasAccess } from '../../src/bot/money/budgets.ts';
import { silentLog } from '../../src/domain/log.ts';
import { answer, scriptedModels } from '../council/scripted-council.ts';
import { question, startBot, type TestBot } from './bot-fixture.ts';
import { channelManager, command, serverManager, textOf } from './commanding.ts';

const sorry = 'Sorry, this council isn’t open to you here. The people who run it can let you in.';
const toBen = { ...question, sages: ['ben'] };
const described = { name: 'The Gardener', description: 'Grows things slowly.' };

describe('who may ask at the operator’s expense', () => {
  const inServer = { threadId: 'discord:111111:c:t', userId: '777777' };
  const inWorkspace = { threadId: 'slack:T111:C1:1.2', userId: 'U777' };

  test('is everybody where there are no lists', () => {
    expect(hasAccess({}, inServer)).toBe(true);
  });

  test('is a workspace, a server, a person or a whole platform that is allowed, and no one else', () => {
    for (const entry of ['discord:111111', 'discord:@777777', 'discord:*']) {
      expect.soft(hasAccess({ allow: [entry] }, inServer), entry).toBe(true);
      expect.soft(hasAccess({ allow: [entry] }, inWorkspace), entry).toBe(false);
    }
    expect(hasAccess({ allow: ['slack:T111'] }, inWorkspace)).toBe(true);
    expect(hasAccess({ allow: ['slack:T11'] }, inWorkspace)).toBe(false);
  });

  test('is no one who is denied, whatever is allowed', () => {
    const allow = ['discord:*'];
    for (const entry of ['discord:111111', 'discord:@777777', 'discord:*']) {
      expect.soft(hasAccess({ allow, deny: [entry] }, inServer), entry).toBe(false);
    }
    expect(hasAccess({ allow, deny: ['discord:@888888'] }, inServer)).toBe(true);
  });

  test('is no one of a workspace that is denied, in a channel shared with it, and everybody else there', () => {
    const guest = { ...inWorkspace, userWorkspace: 'T222' };
    expect(hasAccess({ deny: ['slack:T222'] }, guest)).toBe(false);
    expect(hasAccess({ deny: ['slack:T222'] }, inWorkspace)).toBe(true);
    expect(hasAccess({ allow: ['slack:T222'] }, guest)).toBe(true);
  });

  test('is always the person at the operator’s own terminal', () => {
    const atTerminal = { threadId: 'terminal:home:main:main', userId: 'local' };
    expect(hasAccess({ allow: ['slack:T111'], deny: ['discord:*'] }, atTerminal)).toBe(true);
  });

  test('is on the web whom the operator gave a key', () => {
    const withKey = { threadId: 'web:main:council:plans', userId: 'key:1' };
    expect(hasAccess({ allow: ['slack:T111'] }, withKey)).toBe(true);
  });
});

describe('whom the managers of a server let ask', () => {
  const set = async (bot: TestBot['bot'], change: string, person = serverManager) =>
    textOf(await command(bot, 'config', { change }, person));

  test('is no one whom they have muted, in any channel, for a question or a draft', async () => {
    const { bot, store } = await startBot(scriptedModels({}));
    expect(await set(bot, 'server set muted <@u1>', channelManager)).toContain('whole server');
    expect(await set(bot, 'server set muted <@u1>')).toContain('Changed: muted');
    for (const threadId of ['test:w:c:t', 'test:w:d:t']) {
      const asked = await bot.ask({ ...toBen, threadId });
      expect(asked).toMatchObject({
        status: 'refused',
        isStranger: true,
        reason: expect.stringContaining('You can’t ask the council here'),
      });
    }
    const draft = textOf(await command(bot, 'summon', described));
    expect(draft).toContain('You can’t ask the council here');
    expect(await store.turns.unfinished(9)).toEqual([]);
    const shown = await bot.overview({ platform: 'test', workspace: 'w' }, 'u1');
    expect(JSON.stringify(shown)).not.toContain('muted');
  });
});

describe('someone who is not let in', () => {
  test('is told so politely, and nothing is paid or stored', async () => {
    const models = scriptedModels({});
    const lines: unknown[] = [];
    const { bot, store } = await startBot(models, {
      access: { allow: ['slack:T111'] },
      log: { ...silentLog, info: (facts, sentence) => void lines.push([sentence, facts]) },
    });
    expect(await bot.ask(toBen)).toEqual({ status: 'refused', reason: sorry, isStranger: true });
    const facts = { threadId: toBen.threadId, userId: 'u1' };
    expect(lines).toEqual([['a question was refused: this person may not ask here', facts]]);
    const anew = await bot.ask(toBen, async () => ({ threadId: toBen.threadId }));
    expect(anew).toMatchObject({ status: 'refused', reason: sorry });
    const asks = [
      ['ask', { question: 'Why?' }],
      ['summon', described],
    ] as const;
    for (const [name, options] of asks) {
      const reply = await command(bot, name, options);
      expect(textOf(reply)).toContain(sorry);
      expect(reply.isPrivate).toBe(true);
    }
    expect(await store.turns.unfinished(9)).toEqual([]);
    const scopes = ['drafts:test:w:c', 'channel:test:w:c', 'opening:test', 'rate:test:w:c:u1'];
    expect(await store.settings.read(scopes)).toEqual(scopes.map(() => ({})));
    // Nor is a draft kept waiting for one that never was.
    expect(await store.claim('draft:drafts:test:w:c:u1', 1)).toBe(true);
  });

  test('can still see and forget what was said before they were denied', async () => {
    const models = scriptedModels({ sages: { ben: [answer('No.')] } });
    const before = await startBot(models);
    await before.bot.ask(toBen);
    await before.idle();
    const { bot } = await startBot(models, { access: { deny: ['test:w'] } }, before.store);
    expect(textOf(await command(bot, 'receipt'))).toContain('Ben');
    expect(textOf(await command(bot, 'minutes'))).toContain(sorry);
  });
});
