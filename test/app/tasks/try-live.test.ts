import { PassThrough } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { tryLive } from '../../../src/app/tasks/try-live.ts';
import type { Environment } from '../../../src/settings/environment.ts';
import { startWorld as startDiscordWorld } from '../../fakes/discord/connected-client.ts';
import { startWorld as startSlackWorld } from '../../fakes/slack/connected-app.ts';
import { rehearse } from '../../models/rehearsal/rehearsal.ts';
import { unlimited } from '../../platforms/unlimited.ts';
import { load } from '../../settings/config-folder.ts';

const atOnce = { pauses: { word: 0, step: 0 }, limits: unlimited };

/** Where a trial is held: what it prints, and how it is stopped. */
function around(yaml: string, environment: Environment) {
  const streams = { output: new PassThrough(), errors: new PassThrough() };
  let printed = '';
  for (const stream of Object.values(streams)) {
    stream.on('data', (bytes) => {
      printed += String(bytes);
    });
  }
  const ending = new AbortController();
  const reactions: ((signal: NodeJS.Signals) => void)[] = [];
  return {
    world: {
      ...streams,
      colour: false,
      ending: ending.signal,
      config: load({ 'config/council.yaml': yaml }, environment),
      onInterrupt: (react: (signal: NodeJS.Signals) => void) => void reactions.push(react),
    },
    printed: () => printed,
    stop() {
      ending.abort(new Error('Ended by SIGINT.'));
      for (const react of reactions) react('SIGINT');
    },
  };
}

describe('the trial of the chats', () => {
  test('holds a recorded council and a real question, and prints no secret', async () => {
    await using discord = await startDiscordWorld();
    const { token, api } = discord.discord;
    const guild = discord.discord.addGuild({ botPermissions: ['Administrator'] });
    const channel = discord.discord.addChannel(guild, 'trial');
    const { server } = await rehearse();
    const models = `{ default: "rehearsal:sages", providers: { rehearsal: { baseUrl: "${server.baseUrl}" } } }`;
    const yaml = `models: ${models}\ndiscord: { apiUrl: "${api}" }\n`;
    const { world, printed } = around(yaml, { DISCORD_TOKEN: token });
    expect(await tryLive(world, { discord: channel.id }, atOnce)).toBe(0);
    expect(printed()).toContain('✓ a recorded council: shown to its end');
    expect(printed()).toContain('✓ a real question, answered by rehearsal:sages: shown to its end');
    expect(printed()).toContain('✓ deleting: every message that was posted is gone');
    expect(printed()).toContain('Nothing was refused.');
    expect(printed()).not.toContain(token);
  });

  test('deletes what it has posted when it is stopped', async () => {
    await using slack = await startSlackWorld();
    const { slack: fake, channel } = slack;
    const { botToken } = fake.installation();
    const tokens = { SLACK_BOT_TOKEN: botToken, SLACK_APP_TOKEN: fake.app.appToken };
    const { world, printed, stop } = around(`slack: { apiUrl: "${fake.api}" }\n`, tokens);
    fake.onCall(() => {
      if (fake.messages(channel).length === 2) stop();
    });
    expect(await tryLive(world, { slack: channel.id }, atOnce)).toBe(1);
    expect(printed()).toContain('Stopping, and deleting what was posted');
    expect(printed()).toContain('✓ deleting: every message that was posted is gone');
    expect(fake.messages(channel)).toEqual([]);
  });

  test('names the tokens that are missing', async () => {
    const { world } = around('', {});
    await expect(tryLive(world, { discord: '1', slack: 'C1' }, atOnce)).rejects.toThrow(
      /DISCORD_TOKEN: is not set.*\n.*SLACK_BOT_TOKEN: is not set/,
    );
  });
});
