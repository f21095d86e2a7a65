import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { menuId } from '../../../src/platforms/slack/action-id.ts';
import { openSqliteStore } from '../../../src/store/sqlite.ts';
import { answer, scriptedModels } from '../../council/scripted-council.ts';
import { joinSlack, startSlackWorld } from '../../platforms/slack/slack-world.ts';
import { begin, connected, kill, type Left, patienceMs } from './lives.ts';
import { unplanned } from './unplanned.ts';
import { isOver, question, saidIn } from './whole-turn.ts';

vi.setConfig({ testTimeout: 3 * patienceMs });

/** By then a process that was at it is taken for gone. */
const laterMs = 61_000;
const postLabel = 'Post to the channel';

interface Killed {
  readonly what: 'posted' | 'asked again';
  /** The call that it is killed at, counted from the press. */
  readonly at: 'chat.postMessage' | 'chat.update';
  readonly left: Left;
}

const kills: readonly Killed[] = (['posted', 'asked again'] as const).flatMap((what) =>
  (['chat.postMessage', 'chat.update'] as const).flatMap((at) =>
    (['done', 'not done'] as const).map((left) => ({ what, at, left })),
  ),
);

test.concurrent.each(kills)(
  'what is $what below a verdict is so once, though the bot was killed with its $at $left',
  async ({ what, at, left }) => {
    const world = await startSlackWorld();
    const { slack, channel, ada } = world;
    const folder = await mkdtemp(join(tmpdir(), 'council-kill-'));
    const path = join(folder, 'council.db');
    const child = begin(slack, path);
    try {
      await connected(child);
      const { thread } = await ada.mentions(channel, question);
      await slack.until(() => isOver(world, thread), 'the end of the turn', patienceMs);
      const threadId = `slack:${slack.workspace.id}:${channel.id}:${thread}`;
      const shown = () => {
        const said = saidIn(world, thread).find(({ text }) => text.includes('Rewrite it in parts'));
        if (!said) throw new Error('There is no verdict.');
        return said;
      };
      const menu = /council:one:[\w-]+/.exec(JSON.stringify(shown().blocks))?.[0] ?? menuId('');
      const press = () => {
        const where = { channel, ts: shown().ts };
        return what === 'posted'
          ? ada.presses(where, postLabel)
          : ada.chooses(where, menu, 'Ada Sage');
      };
      const killed = new Promise<void>((resolve, reject) => {
        slack.onCall(({ method }) => {
          if (method === at) kill(child).then(resolve, reject);
        });
      });
      slack.faults.plan(at, { kind: left === 'done' ? 'drop after processing' : 'drop' });
      await press();
      await killed;
      slack.faults.clear();
      const now = () => Date.now() + laterMs;
      const store = openSqliteStore({ path, now });
      const models = scriptedModels({
        sages: { ada: [answer('Ada says yes.'), answer('Ada says yes.')] },
      });
      const options = { store, pacing: unplanned, bot: { now } };
      await using next = await joinSlack(world, models, options);
      if (what === 'asked again' || JSON.stringify(shown().blocks).includes(postLabel)) {
        await press();
      }
      const done = what === 'posted' ? 'Posted to the channel.' : 'Asked again since: Ada Sage.';
      const isShown = () => JSON.stringify(shown().blocks).includes(done);
      await slack.until(isShown, 'what was done', patienceMs);
      await next.bot.idle();
      const turns = await store.turns.list(threadId, { limit: 9 });
      expect(turns.length > 1).toBe(what === 'asked again');
      // Pressed again after it was answered, it is asked again.
      const answers = saidIn(world, thread).filter(({ text }) => text === 'Ada says yes.');
      expect(answers).toHaveLength(turns.length);
      const posted = slack
        .messages(channel)
        .filter((one) => one.isApp && one.threadTs === undefined && !one.ephemeralFor);
      expect(posted).toHaveLength(what === 'posted' ? 1 : 0);
      slack.assertNoViolations();
    } finally {
      await kill(child);
      await slack.close();
      await rm(folder, { recursive: true, force: true });
    }
  },
);
