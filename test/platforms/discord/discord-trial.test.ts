import { describe, expect, test } from 'vitest';
import { silentLog } from '../../../src/domain/log.ts';
import { DiscordTrial } from '../../../src/platforms/discord/discord-trial.ts';
import { startWorld } from '../../fakes/discord/connected-client.ts';
import type { FakeDiscord } from '../../fakes/discord/discord.ts';
import { usualBotPermissions } from '../../fakes/discord/world/permissions.ts';
import { reportOf } from '../live-trial.ts';
import { unlimited } from '../unlimited.ts';

function groundIn(discord: FakeDiscord, channel: string, token = discord.token) {
  return new DiscordTrial({
    token,
    channel,
    log: silentLog,
    api: discord.api,
    ownPicture: () => undefined,
    limits: unlimited,
    retryWaitsMs: [1, 1],
  });
}

type World = Awaited<ReturnType<typeof startWorld>>;

/** A server whose bot may do what is given. */
function serverWith(
  { discord }: World,
  botPermissions = [...usualBotPermissions, 'ManageThreads'] as const,
) {
  const guild = discord.addGuild({ name: 'Test', botPermissions: [...botPermissions] });
  return discord.addChannel(guild, 'trial');
}

/** What the bot and its sages have said and not deleted. */
const left = ({ discord }: World) =>
  [...discord.state.messages.values()]
    .flatMap((messages) => [...messages.values()])
    .filter(({ wire }) => wire.content !== '' || (wire.components ?? []).length > 0);

describe('a trial in Discord', () => {
  test('shows all that Discord takes, reads it back and deletes it', async () => {
    await using world = await startWorld();
    const { discord } = world;
    const channel = serverWith(world);
    const report = await reportOf(groundIn(discord, channel.id));
    expect(report.refused).toEqual([]);
    const untried = report.findings.flatMap(({ name, outcome }) =>
      outcome === 'untried' ? [name] : [],
    );
    expect(untried).toEqual([
      expect.stringContaining('forms'),
      expect.stringContaining('what people do'),
    ]);
    expect(report.of('reading back')?.text).toMatch(/^all \d+ messages are there; [2-9] sages/);
    expect(report.text).not.toContain(discord.token);
    expect(left(world)).toEqual([]);
    expect([...discord.state.webhooks.values()]).toEqual([]);
    expect([...discord.state.emojis.values()]).toEqual([]);
    expect(discord.messages(channel.id)).toEqual([]);
    expect(discord.violations.all).toEqual([]);
  });

  test('says where an empty thread is left that the bot may not delete', async () => {
    await using world = await startWorld();
    const report = await reportOf(groundIn(world.discord, world.channel.id));
    expect(report.refused).toEqual([]);
    expect(report.of('deleting')?.text).toMatch(
      /Manage Threads.*https:\/\/discord\.com\/channels\//,
    );
    expect(left(world)).toEqual([]);
  });

  test('deletes what it knows of where it may not read', async () => {
    await using world = await startWorld();
    const { discord } = world;
    const history = 'GET /channels/{channel_id}/messages';
    discord.faults.decide((route) =>
      route === history ? { kind: 'status', status: 403 } : undefined,
    );
    const report = await reportOf(groundIn(discord, world.channel.id));
    expect(report.of('reading back')?.outcome).toBe('refused');
    expect(report.of('deleting')?.outcome).toBe('works');
    expect(left(world)).toEqual([]);
  });

  test('names a permission that webhooks want', async () => {
    await using world = await startWorld();
    const may = usualBotPermissions.filter((name) => name !== 'ManageWebhooks');
    const guild = world.discord.addGuild({
      name: 'Test',
      botPermissions: [...may, 'ManageThreads'],
    });
    const channel = world.discord.addChannel(guild, 'trial');
    const report = await reportOf(groundIn(world.discord, channel.id));
    expect(report.of('webhook')).toMatchObject({
      outcome: 'refused',
      text: expect.stringMatching(/50013.*invite link/),
    });
    expect(report.of('recorded')?.outcome).toBe('works');
    expect(left(world)).toEqual([]);
  });

  test('tells that files are not permitted, and goes on with charts as text', async () => {
    await using world = await startWorld();
    const { discord, channel } = world;
    discord.revokePermissions(channel, 'AttachFiles');
    const report = await reportOf(groundIn(discord, channel.id));
    for (const name of ['charts as pictures', 'a file']) {
      expect(report.findings.find((one) => one.name.startsWith(name))).toMatchObject({
        outcome: 'refused',
        text: expect.stringMatching(/50013.*invite link/),
      });
    }
    expect(report.of('charts as text')?.outcome).toBe('works');
    expect(report.of('recorded')?.outcome).toBe('works');
    expect(left(world)).toEqual([]);
  });

  test.each(['POST', 'GET'])('tells that faces are refused at %s, and goes on', async (method) => {
    await using world = await startWorld();
    const { discord, channel } = world;
    const emojis = `${method} /applications/{application_id}/emojis`;
    discord.faults.decide((route) =>
      route === emojis ? { kind: 'status', status: 403 } : undefined,
    );
    const report = await reportOf(groundIn(discord, channel.id));
    expect(report.of('faces, uploaded')?.outcome).toBe('refused');
    expect(report.of('faces beside')?.outcome).toBe('untried');
    expect(report.of('recorded')?.outcome).toBe('works');
    expect(left(world)).toEqual([]);
  });

  test('leaves the faces that were there, and says which of its own are left', async () => {
    await using world = await startWorld();
    const { discord, channel } = world;
    const bytes = Buffer.from('89504e470d0a1a0a', 'hex');
    discord.state.emojis.set('17', { id: '17', name: 'sage_of_the_bot', bytes });
    let refusals = 0;
    discord.faults.decide((route) => {
      if (route !== 'DELETE /applications/{application_id}/emojis/{emoji_id}') return undefined;
      refusals += 1;
      return refusals === 1 ? { kind: 'status', status: 403 } : undefined;
    });
    const report = await reportOf(groundIn(discord, channel.id));
    expect(report.of('deleting')).toMatchObject({
      outcome: 'refused',
      text: expect.stringMatching(/emoji \d+ is still there/),
    });
    expect([...discord.state.emojis.keys()]).toContain('17');
    expect(discord.state.emojis.size).toBe(2);
  });

  test('tells that a verdict is not posted to the channel, and goes on', async () => {
    await using world = await startWorld();
    const { discord, channel } = world;
    discord.faults.decide((route) => {
      // The card is posted by then; what follows in the thread takes another permission.
      if (route.endsWith('/threads')) discord.revokePermissions(channel, 'SendMessages');
      return undefined;
    });
    const report = await reportOf(groundIn(discord, channel.id));
    expect(report.of('what follows a verdict')?.outcome).toBe('refused');
    expect(report.of('replies of commands')?.outcome).toBe('works');
    expect(left(world)).toEqual([]);
  });

  test('says of a channel that it does not see how to mend it', async () => {
    await using world = await startWorld();
    const report = await reportOf(groundIn(world.discord, '999999999999999999'));
    expect(report.refused).toEqual(['bot and channel']);
    expect(report.text).toMatch(/10003.*Copy Channel ID/);
  });

  test('says of a channel in which it may not speak what it wants', async () => {
    await using world = await startWorld();
    const { discord, channel } = world;
    discord.revokePermissions(channel, 'SendMessages');
    const report = await reportOf(groundIn(discord, channel.id));
    expect(report.of('recorded')).toMatchObject({
      outcome: 'refused',
      text: expect.stringMatching(/50013.*invite link/),
    });
    expect(report.of('deleting')?.outcome).toBe('works');
  });

  test('says of a wrong token where a right one comes from, and does not tell it', async () => {
    await using world = await startWorld();
    const report = await reportOf(groundIn(world.discord, world.channel.id, 'wrong.token.here'));
    expect(report.refused).toEqual(['bot and channel']);
    expect(report.text).toContain('DISCORD_TOKEN');
    expect(report.text).not.toContain('wrong.token.here');
  });

  test.each(['/messages', '/threads', '/webhooks', '{webhook_token}'])(
    'deletes everything when it is stopped within POST …%s',
    async (end) => {
      await using world = await startWorld();
      // Without Manage Threads: messages don’t go with their thread.
      const { discord, channel } = world;
      const ending = new AbortController();
      let isStopped = false;
      discord.faults.decide((route) => {
        if (isStopped || !route.startsWith('POST ') || !route.endsWith(end)) return undefined;
        isStopped = true;
        // Carried out, and answered after the trial was stopped.
        queueMicrotask(() => ending.abort(new Error('Ctrl-C')));
        return { kind: 'late', afterMs: 50 };
      });
      const report = await reportOf(groundIn(discord, channel.id), ending.signal);
      expect(isStopped).toBe(true);
      expect(report.of('recorded')?.text).toBe('the trial was stopped');
      expect(report.of('mention')?.text).toBe('the trial was stopped');
      expect(report.of('deleting')).toMatchObject({ outcome: 'works' });
      expect(left(world)).toEqual([]);
    },
  );
});
