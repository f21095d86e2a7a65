import { describe, expect, test } from 'vitest';
import { eventWatermark } from '../../../src/platforms/chat/event-watermark.ts';
import { RateLimitedError } from '../../../src/platforms/chat/pacing/platform-error.ts';
import { createSlackApi } from '../../../src/platforms/slack/api/slack-api.ts';
import { scopeNames } from '../../../src/platforms/slack/connection/identity.ts';
import { answerMissed } from '../../../src/platforms/slack/ingress/missed.ts';
import { recordingLog } from '../discord/discord-world.ts';
import { startSlackWorld } from './slack-world.ts';

/** More conversations than a page of Slack's list, or a minute's calls, has room for. */
async function startLarge() {
  const world = await startSlackWorld({ scopes: scopeNames, limits: true });
  const { slack, ada } = world;
  for (let index = 0; index < 230; index += 1) await slack.addChannel(`channel-${index}`);
  const last = await slack.addChannel('last');
  const direct = await ada.direct();
  const api = createSlackApi({
    tokenOf: () => slack.installation().botToken,
    apiUrl: slack.api,
    timeoutMs: 5000,
  });
  const { log, lines } = recordingLog();
  const found: unknown[] = [];
  const stopping = new AbortController();
  const check = (pause: () => Promise<void>) =>
    answerMissed(slack.workspace.id, slack.clock.now(), {
      api,
      log,
      pause,
      signal: stopping.signal,
      answerWithinMs: 1_800_000,
      now: () => slack.clock.now(),
      handle: async (event) => {
        found.push(event);
      },
    });
  const looked = () => slack.calls.filter(({ method }) => method === 'conversations.history');
  return { ...world, last, direct, lines, found, stopping, check, looked };
}

describe('missed messages', () => {
  test('are found in every conversation, however many, within Slack’s limits', async () => {
    const { slack, ada, last, direct, lines, found, check, looked } = await startLarge();
    await using _ = slack;
    await ada.mentions(last, 'Ben: what now?');
    await ada.says(direct, 'Ben: and for me?');
    await check(async () => slack.clock.advance(60_000));
    expect(found).toMatchObject([{ channel: direct.id }, { channel: last.id }]);
    expect(looked()).toHaveLength(233);
    expect(slack.limits.refused).toEqual(new Map());
    expect(lines.join('\n')).toContain('conversations were checked for missed messages');
  });

  test('are found in a channel in which much was said since', async () => {
    const { slack, ada, last, found, check } = await startLarge();
    await using _ = slack;
    const { ts } = await ada.mentions(last, 'Ben: what now?');
    for (let index = 0; index < 120; index += 1) await ada.says(last, `Word ${index}.`);
    await check(async () => slack.clock.advance(60_000));
    expect(found).toMatchObject([{ channel: last.id, ts }]);
  });

  test('are found though others use up Slack’s limit, and not by an app that gets one a minute', async () => {
    const { slack, ada, last, found, check, looked } = await startLarge();
    await using _ = slack;
    await ada.mentions(last, 'Ben: what now?');
    const limited = { kind: 'rate limit', retryAfterSeconds: 30 } as const;
    slack.faults.plan('conversations.history', limited, { after: 12 });
    await check(async () => slack.clock.advance(60_000));
    expect(found).toHaveLength(1);
    const before = looked().length;
    slack.clock.advance(60_000);
    slack.faults.plan('conversations.history', limited, { after: 1, times: 2 });
    await check(async () => slack.clock.advance(60_000));
    expect(looked()).toHaveLength(before + 2);
  });

  test('are found though Slack still falters', async () => {
    const { slack, ada, last, found, check } = await startLarge();
    await using _ = slack;
    await ada.mentions(last, 'Ben: what now?');
    for (const method of ['auth.test', 'users.conversations', 'conversations.history']) {
      slack.faults.plan(method, { kind: 'status', status: 503 });
    }
    await check(async () => slack.clock.advance(60_000));
    expect(found).toHaveLength(1);
  });

  test('are not answered once they are too old, though the check began in time', async () => {
    const { slack, ada, last, found, check } = await startLarge();
    await using _ = slack;
    await ada.mentions(last, 'Ben: what now?');
    await check(async () => slack.clock.advance(900_000));
    expect(found).toEqual([]);
  });

  test('are no longer looked for once the bot stops', async () => {
    const { slack, stopping, check, looked } = await startLarge();
    await using _ = slack;
    await check(async () => stopping.abort());
    expect(looked()).toHaveLength(40);
  });
});

test('missed messages are found in every workspace of an organisation, past Slack’s limit', async () => {
  const workspaces = Array.from({ length: 250 }, (_, index) => `T${index}`);
  const limited = new RateLimitedError('slow down', { retryAfterMs: 0 });
  const limits = [limited, limited];
  const pageOf = ({ limit, cursor = '0' }: Readonly<Record<string, unknown>>) => {
    const end = Number(cursor) + Number(limit);
    return {
      teams: workspaces.slice(Number(cursor), end).map((id) => ({ id })),
      response_metadata: { next_cursor: end < workspaces.length ? `${end}` : '' },
    };
  };
  const found: unknown[] = [];
  await answerMissed('E1', 0, {
    api: {
      async call(_team, method, args) {
        const bot = { user_id: 'UBOT', bot_id: 'B1', is_enterprise_install: true };
        if (method === 'auth.test') return { team_id: 'E1', ...bot };
        if (method === 'auth.teams.list') return pageOf(args);
        if (method === 'conversations.history') return { messages: [{ ts: '1.0', user: 'U1' }] };
        const workspace = 'team_id' in args ? args.team_id : undefined;
        const refused = workspace === 'T60' && limits.pop();
        if (refused) throw refused;
        return { channels: [{ id: `D${workspace}` }] };
      },
    },
    log: recordingLog().log,
    now: () => 0,
    answerWithinMs: 1_800_000,
    signal: new AbortController().signal,
    pause: async () => undefined,
    handle: async (_event, { workspace }) => {
      found.push(workspace);
    },
  });
  expect(found).toEqual(workspaces);
});

test('the time of the last events is not stored until missed messages of each outage were handled', async () => {
  const stored: number[] = [];
  const records = {
    read: async () => undefined,
    write: async (_app: string, until: number) => {
      stored.push(until);
    },
  };
  const watermark = eventWatermark(records, 'app', recordingLog().log, () => stored.length);
  const [first, second] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const began: string[] = [];
  const handled = [first, second].map(({ promise }, index) =>
    watermark.hold(() => {
      began.push(`outage ${index}`);
      return promise;
    }),
  );
  await watermark.start(() => true);
  expect(began).toEqual(['outage 0']);
  first.resolve();
  await handled[0];
  await watermark.stop();
  expect(began).toEqual(['outage 0', 'outage 1']);
  expect(stored).toEqual([]);
  second.resolve();
  await handled[1];
  await watermark.start(() => true);
  await watermark.stop();
  expect(stored).toEqual([0, 1]);
});
