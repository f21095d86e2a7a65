import { describe, expect, test } from 'vitest';
import { findMarked, post, postOnce } from '../../../src/platforms/slack/api/messages.ts';
import { createSlackApi } from '../../../src/platforms/slack/api/slack-api.ts';
import { startWorld } from '../../fakes/slack/connected-app.ts';

describe('a message with a mark', () => {
  test('is found below hundreds that a busy channel has said since', async () => {
    await using world = await startWorld();
    const { slack, channel } = world;
    const spot = { team: slack.workspace.id, channel: channel.id };
    const api = createSlackApi({
      tokenOf: () => slack.installation().botToken,
      apiUrl: slack.api,
      timeoutMs: 5000,
    });
    const mark = { turnId: 'turn-1', part: 'question' };
    const question = { text: 'Why?', blocks: [], mark };
    const ts = await postOnce(api, spot, question, [], async () => undefined);
    for (let count = 0; count < 250; count++) {
      await post(api, spot, { text: `${count}`, blocks: [] });
    }
    expect(await findMarked(api, spot, mark, `${Number(ts) - 300}`)).toBe(ts);
    expect(await findMarked(api, spot, { ...mark, turnId: 'turn-2' }, ts)).toBeUndefined();
    slack.assertNoViolations();
  });
});
