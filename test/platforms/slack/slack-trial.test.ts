import { describe, expect, test } from 'vitest';
import { silentLog } from '../../../src/domain/log.ts';
import { scopeNames } from '../../../src/platforms/slack/connection/identity.ts';
import { slackTrial } from '../../../src/platforms/slack/slack-trial.ts';
import { startWorld } from '../../fakes/slack/connected-app.ts';
import type { FakeSlack } from '../../fakes/slack/slack.ts';
import { reportOf } from '../live-trial.ts';
import { unlimited } from '../unlimited.ts';

function groundIn(slack: FakeSlack, channel: string, botToken = slack.installation().botToken) {
  return slackTrial({
    botToken,
    channel,
    log: silentLog,
    apiUrl: slack.api,
    limits: { ...unlimited, editGapMs: 20 },
    retryWaitsMs: [1, 1],
  });
}

/** What is in the channel for everybody. */
const shownIn = ({ slack, channel }: Awaited<ReturnType<typeof startWorld>>) =>
  slack.messages(channel).filter(({ ephemeralFor }) => ephemeralFor === undefined);

describe('a trial in Slack', () => {
  test('shows all that Slack takes, reads it back and deletes it', async () => {
    await using world = await startWorld();
    const { slack, channel, ada } = world;
    const report = await reportOf(groundIn(slack, channel.id));
    expect(report.refused).toEqual([]);
    const untried = report.findings.flatMap(({ name, outcome }) =>
      outcome === 'untried' ? [name] : [],
    );
    expect(untried).toEqual(['forms', expect.stringContaining('what people do')]);
    expect(report.of('reading back')?.text).toMatch(/^all \d+ messages are there/);
    expect(report.text).not.toContain(slack.installation().botToken);
    expect(shownIn(world)).toEqual([]);
    expect(slack.messages(channel).map(({ ephemeralFor }) => ephemeralFor)).toEqual([ada.user.id]);
    slack.assertNoViolations();
  });

  test.each([
    ['streams', 'chat.startStream', 'streams'],
    ['status', 'assistant.threads.setStatus', 'the status line'],
  ])('names a scope that %s want, and the mend', async (_, method, name) => {
    await using world = await startWorld();
    const { slack, channel } = world;
    slack.faults.plan(method, { kind: 'refusal', error: 'missing_scope' }, { times: 1000 });
    const report = await reportOf(groundIn(slack, channel.id));
    expect(report.of(name)).toMatchObject({
      outcome: 'refused',
      text: expect.stringMatching(/missing_scope.*config\/slack-manifest\.yaml/),
    });
    expect(shownIn(world)).toEqual([]);
  });

  test('names the scopes that the app lacks', async () => {
    const scopes = scopeNames.filter((scope) => scope !== 'chat:write.customize');
    await using world = await startWorld({ scopes });
    const report = await reportOf(groundIn(world.slack, world.channel.id));
    expect(report.of('bot and channel')?.text).toContain('It lacks chat:write.customize');
    expect(report.of('own names')?.outcome).toBe('untried');
    expect(shownIn(world)).toEqual([]);
  });

  test('names a form that Slack takes no longer, and goes on', async () => {
    await using world = await startWorld();
    const { slack, channel } = world;
    slack.faults.plan(
      'chat.postMessage',
      { kind: 'refusal', error: 'invalid_blocks' },
      { times: 1000, when: ({ args }) => JSON.stringify(args).includes('plan') },
    );
    const report = await reportOf(groundIn(slack, channel.id));
    expect(report.of('plan block')?.text).toMatch(/2 of .* invalid_blocks.*no longer accepts/);
    expect(report.of('recorded')?.outcome).toBe('works');
    expect(shownIn(world)).toEqual([]);
  });

  test.each([
    ['the ranking as a chart', 'data_visualization', 'invalid_blocks', 'recorded'],
    ['menu and the suggested', 'static_select', 'invalid_blocks', 'recorded'],
    ['the deep round', 'What has to come first', 'invalid_blocks', 'recorded'],
    ['icon_emoji', 'icon_emoji', 'invalid_arguments', 'recorded'],
    ['what follows a verdict', '"part":"posted"', 'restricted_action', 'reading a file'],
  ])('tells that Slack refuses %s, and goes on', async (name, sent, error, next) => {
    await using world = await startWorld();
    const { slack, channel } = world;
    const when = ({ args }: { args: unknown }) => JSON.stringify(args).includes(sent);
    const methods = ['chat.postMessage', 'chat.update', 'chat.startStream', 'chat.stopStream'];
    for (const method of methods) {
      slack.faults.plan(method, { kind: 'refusal', error }, { times: 1000, when });
    }
    const report = await reportOf(groundIn(slack, channel.id));
    expect(report.of(name)).toMatchObject({
      outcome: 'refused',
      text: expect.stringContaining(error),
    });
    expect(report.of(next)?.outcome).toBe('works');
    expect(shownIn(world)).toEqual([]);
  });

  test.each([
    ['files:read', 'reading a file', /files:read/],
    ['files:write', 'files', /missing_scope.*manifest/],
  ])('names %s, which files want', async (lacking, name, text) => {
    const scopes = scopeNames.filter((scope) => scope !== lacking);
    await using world = await startWorld({ scopes });
    const report = await reportOf(groundIn(world.slack, world.channel.id));
    const found = report.findings.find((one) => one.name.startsWith(name));
    expect(found).toMatchObject({ outcome: 'refused', text: expect.stringMatching(text) });
    expect(shownIn(world)).toEqual([]);
  });

  test('says of a channel that it does not see how to mend it', async () => {
    await using world = await startWorld();
    const report = await reportOf(groundIn(world.slack, 'C0NOSUCHONE'));
    expect(report.refused).toEqual(['bot and channel']);
    expect(report.text).toMatch(/channel_not_found.*`\/invite` the bot/);
  });

  test('says of a wrong token where a right one comes from, and does not tell it', async () => {
    await using world = await startWorld();
    const report = await reportOf(groundIn(world.slack, world.channel.id, 'xoxb-wrong-token'));
    expect(report.refused).toEqual(['bot and channel']);
    expect(report.text).toContain('SLACK_BOT_TOKEN');
    expect(report.text).not.toContain('xoxb-wrong-token');
  });

  const unread = scopeNames.filter((scope) => scope !== 'channels:history');
  test.each([
    ['chat.postMessage', 'what it may read', scopeNames],
    ['chat.postMessage', 'what it may not read', unread],
    ['chat.startStream', 'what it may not read', unread],
    ['chat.appendStream', 'what it may read', scopeNames],
    ['chat.update', 'what it may read', scopeNames],
  ])('stopped within %s, deletes %s', async (method, _, scopes) => {
    await using world = await startWorld({ scopes });
    const { slack, channel } = world;
    const ending = new AbortController();
    // Carried out, and answered after the trial was stopped.
    slack.faults.plan(method, { kind: 'late', afterMs: 50 }, { after: 1 });
    let seen = 0;
    slack.onCall(() => {
      seen = slack.calls.filter((call) => call.method === method).length;
      if (seen === 2) ending.abort(new Error('Ctrl-C'));
    });
    const report = await reportOf(groundIn(slack, channel.id), ending.signal);
    expect(seen).toBeGreaterThan(1);
    expect(report.of('recorded')?.text).toBe('the trial was stopped');
    expect(report.of('deleting')?.outcome).toBe('works');
    expect(shownIn(world)).toEqual([]);
  });

  test('deletes what it knows of where it may not read', async () => {
    const scopes = scopeNames.filter((scope) => scope !== 'channels:history');
    await using world = await startWorld({ scopes });
    const report = await reportOf(groundIn(world.slack, world.channel.id));
    expect(report.of('reading back')?.text).toMatch(/missing_scope.*channels:history.*manifest/);
    expect(report.of('deleting')?.outcome).toBe('works');
    expect(shownIn(world)).toEqual([]);
  });

  test('says what could not be deleted', async () => {
    await using world = await startWorld();
    const { slack, channel } = world;
    slack.faults.plan(
      'chat.delete',
      { kind: 'refusal', error: 'cant_delete_message' },
      { times: 1000 },
    );
    slack.faults.plan('files.delete', { kind: 'refusal', error: 'cant_delete_file' });
    const report = await reportOf(groundIn(slack, channel.id));
    expect(report.of('deleting')).toMatchObject({
      outcome: 'refused',
      text: expect.stringContaining('cant_delete_message'),
    });
    expect(report.of('deleting')?.text).toMatch(/File F\w+ is still there: .*cant_delete_file/);
    const [, kept] = /Message (\S+) is still there/.exec(report.text) ?? [];
    expect(shownIn(world).map(({ ts }) => ts)).toContain(kept);
  });
});
