/** What Discord refuses is in the log, and neither what was said nor what gives a right to anything. */

import { expect, test } from 'vitest';
import { createLog } from '../../../src/app/operator/log.ts';
import { startBot } from '../../bot/bot-fixture.ts';
import { answer, scriptedModels } from '../../council/scripted-council.ts';
import { startWorld } from '../../fakes/discord/connected-client.ts';
import { discordAt } from '../../platforms/discord/discord-world.ts';
import { routes } from './whole-turn.ts';

test.each([
  ['ask', { question: 'Ben: is the key 42?' }, 'a command got no answer'],
  ['help', {}, 'could not be handled'],
] as const)(
  'the log of a refused answer to /council %s holds neither the question nor the token',
  async (subcommand, options, logged) => {
    await using world = await startWorld();
    const { discord, channel, ada: user } = world;
    let written = '';
    const destination = { write: (line: string) => (written += line) };
    const log = createLog({ level: 'debug', destination, secrets: [discord.token] });
    const models = scriptedModels({ sages: { ben: [answer('No.')] } });
    const bot = await startBot(models, { platforms: [discordAt(discord, log)] });
    discord.faults.failNext(routes.callback, { kind: 'status', status: 400 });
    const { token } = discord.slash({ user, channel, command: 'council', subcommand, options });
    await discord.until(() => written.includes(logged), 'word of it in the log');
    await bot.idle();
    await bot.shutDown();
    expect(written).toContain('Discord refused');
    expect(written).not.toContain(token);
    expect(written).not.toContain('key 42');
  },
);
