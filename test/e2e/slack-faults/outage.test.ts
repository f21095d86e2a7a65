import { setTimeout as wait } from 'node:timers/promises';
import { describe, expect, test, vi } from 'vitest';
import { answer, scriptedModels, wholeScript } from '../../council/scripted-council.ts';
import type { FakeSlack } from '../../fakes/slack/slack.ts';
import { expectWholeTurn, isOver, question, saidIn, startWhole } from './whole-turn.ts';

/** Longer than the first tries of everything together. */
const awayMs = 20_000;

function untilConnected({ sockets }: FakeSlack): Promise<void> {
  return vi.waitFor(() => expect(sockets.connections()).toBe(2), 20_000);
}

describe('a Slack that is out of reach', () => {
  test.concurrent('for twenty seconds in the middle of a turn is outlasted, and then answers what was asked meanwhile', async () => {
    const sages = { ...wholeScript.sages, ben: [answer('Ben says no.'), answer('Still no.')] };
    await using council = await startWhole({}, scriptedModels({ ...wholeScript, sages }));
    const { slack, channel, ada, platform, bot } = council;
    const { thread } = await ada.mentions(channel, question);
    await slack.until(() => saidIn(council, thread).length === 2, 'the first answer');
    await slack.goAway();
    const later = await ada.mentions(channel, 'Ben: and now?');
    await wait(awayMs);
    expect(platform.health().isListening).toBe(false);
    await slack.comeBack();
    await slack.until(() => isOver(council, thread), 'the end of the turn', 120_000);
    const answers = () => saidIn(council, later.thread).map(({ text }) => text);
    await slack.until(() => answers().includes('Still no.'), 'the later answer', 120_000);
    await bot.idle();
    expect(platform.health().isListening).toBe(true);
    expect(saidIn(council, thread)).toHaveLength(6);
  }, 180_000);

  test.concurrent('again and again for a moment leaves nothing out', async () => {
    await using council = await startWhole();
    const { slack, channel, ada } = council;
    const { thread } = await ada.mentions(channel, question);
    for (const said of [1, 3, 5]) {
      await slack.until(() => saidIn(council, thread).length >= said, `${said} messages`, 60_000);
      await slack.goAway();
      await slack.comeBack();
    }
    await expectWholeTurn(council, thread);
  }, 120_000);

  test.concurrent('for its sockets alone holds up no turn', async () => {
    await using council = await startWhole();
    const { slack, channel, ada } = council;
    const { thread } = await ada.mentions(channel, question);
    slack.sockets.cut();
    await expectWholeTurn(council, thread);
    await untilConnected(slack);
  }, 60_000);

  test.concurrent('is never without a socket while Slack renews all of them', async () => {
    await using council = await startWhole({}, scriptedModels({ sages: { ben: [answer('No.')] } }));
    const { slack, channel, ada, bot, platform } = council;
    await untilConnected(slack);
    const openAtCall: number[] = [];
    slack.onCall(({ method }) => {
      if (method === 'apps.connections.open') openAtCall.push(slack.sockets.connections());
    });
    slack.sockets.refresh();
    const said = await ada.mentions(channel, 'Ben: and now?');
    // One was open whenever the other was renewed.
    await vi.waitFor(() => expect(openAtCall).toEqual([1, 1]), 30_000);
    await untilConnected(slack);
    expect(platform.health().isListening).toBe(true);
    await bot.idle();
    expect(saidIn(council, said.thread).map(({ text }) => text)).toContain('No.');
  }, 60_000);
});
