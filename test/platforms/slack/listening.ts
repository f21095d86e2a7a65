/** The real Bolt with our listeners over a Slack on loopback; behind them a real bot whose models are scripted. */

import { App, LogLevel } from '@slack/bolt';
import { onTestFinished, vi } from 'vitest';
import { commands } from '../../../commands/index.ts';
import type { CouncilModels } from '../../../src/council/council.ts';
import type { TurnRequest } from '../../../src/domain/turn.ts';
import type {
  Asked,
  Ingress,
  Invocation,
  OpenedThread,
  OpenThread,
} from '../../../src/platforms/platform.ts';
import { createSlackApi } from '../../../src/platforms/slack/api/slack-api.ts';
import { readIdentity } from '../../../src/platforms/slack/connection/identity.ts';
import { listen } from '../../../src/platforms/slack/ingress/listen.ts';
import { peopleOf } from '../../../src/platforms/slack/ingress/people.ts';
import { RecentThreads } from '../../../src/platforms/slack/surroundings/recent-threads.ts';
import type { TurnKey } from '../../../src/store/store.ts';
import { type BotChanges, CollectingPlatform, startBot } from '../../bot/bot-fixture.ts';
import { answer, scriptedModels } from '../../council/scripted-council.ts';
import { type SlackOptions, startSlack } from '../../fakes/slack/slack.ts';
import { recordingLog } from '../discord/discord-world.ts';

/** Ben answers at once, up to 20 times. */
export const quickBen = () =>
  scriptedModels({ sages: { ben: Array.from({ length: 20 }, () => answer('No.')) } });

/** What came in, and what became of it. */
export interface Taken {
  readonly request: Omit<TurnRequest, 'turnId'>;
  readonly asked: Asked;
}

/** Names the turn that was made. */
export function turnOf(taken: Taken | undefined): TurnKey {
  if (taken?.asked.status !== 'accepted') throw new Error('No turn was made.');
  return { turnId: taken.asked.turnId, threadId: taken.request.threadId };
}

/** Shows turns nowhere, in the name of Slack. */
class NowhereSlack extends CollectingPlatform {
  override readonly name = 'slack';
}

/** A bot that does some of it otherwise. */
function changed(bot: Ingress, changes: Partial<Ingress>): Ingress {
  return {
    settings: (place) => bot.settings(place),
    ask: (question, open) => bot.ask(question, open),
    abandoned: (platform) => bot.abandoned(platform),
    addressableSages: (place) => bot.addressableSages(place),
    interpret: (remark, place, read) => bot.interpret(remark, place, read),
    sideTask: (sideTask) => bot.sideTask(sideTask),
    command: (invocation) => bot.command(invocation),
    stop: (turnId, place) => bot.stop(turnId, place),
    turnOf: (eventId, place) => bot.turnOf(eventId, place),
    overview: (workspace, personId) => bot.overview(workspace, personId),
    deleted: (deletion) => bot.deleted(deletion),
    mayGreet: (where) => bot.mayGreet(where),
    mayReply: (message) => bot.mayReply(message),
    suggest: (...asked) => bot.suggest(...asked),
    left: (workspace) => bot.left(workspace),
    memberships: (told) => bot.memberships(told),
    ...changes,
  };
}

export interface ListeningOptions {
  readonly slack?: SlackOptions;
  /** Silent when left out: they throw when they are asked. */
  readonly models?: CouncilModels;
  /** Absent: everybody may ask. */
  readonly access?: BotChanges['access'];
  /** Changes what the bot does. */
  readonly wrap?: (bot: Ingress) => Partial<Ingress>;
  readonly noticeFor?: (team: string) => string | undefined;
}

/**
 * A workspace with an admin, a channel, its creator and someone else. All of it ends with the test,
 * which fails if the app sent anything that Slack would have refused.
 */
export async function startListening(options: ListeningOptions = {}) {
  const slack = await startSlack(options.slack);
  const boss = slack.addMember('Boss', { isAdmin: true });
  const ada = slack.addMember('Ada');
  const bob = slack.addMember('Bob');
  const channel = await slack.addChannel('general', { creator: ada });
  const models = options.models ?? scriptedModels({});
  const platform = new NowhereSlack();
  const { bot, store, shutDown } = await startBot(models, {
    platforms: [platform],
    ...(options.access && { access: options.access }),
  });
  const taken: Taken[] = [];
  const invocations: Invocation[] = [];
  const removed: string[] = [];
  const inner = changed(bot, options.wrap?.(bot) ?? {});
  const ingress = changed(inner, {
    ask: async (request, open) => {
      let opened: Partial<OpenedThread> = {};
      let isPostless = false;
      const openNoted: OpenThread | undefined =
        open &&
        (async (kept) => {
          const thread = await open(kept);
          if (thread && 'threadId' in thread) opened = thread;
          else isPostless = true;
          return thread;
        });
      const asked = await inner.ask(request, openNoted);
      if (!isPostless && asked.status !== 'dropped')
        taken.push({ request: { ...request, ...opened }, asked });
      return asked;
    },
    command: (invocation) => {
      invocations.push(invocation);
      return inner.command(invocation);
    },
  });
  const { log, lines } = recordingLog();
  const workspaces = [slack.workspace];
  const installationOf = (team: string | undefined) =>
    slack.installation(workspaces.find(({ id }) => id === team));
  const app = new App({
    appToken: slack.app.appToken,
    socketMode: true,
    logLevel: LogLevel.ERROR,
    clientOptions: { slackApiUrl: slack.api },
    authorize: async ({ teamId }) => ({ ...installationOf(teamId) }),
  });
  const now = () => slack.clock.now();
  const api = createSlackApi({
    tokenOf: (team) => installationOf(team).botToken,
    apiUrl: slack.api,
    timeoutMs: 2000,
  });
  const recent = new RecentThreads();
  listen(app, {
    onIdChanged: async () => undefined,
    ingress,
    commands,
    log,
    now,
    api,
    answerMissedWithinMs: 1_800_000,
    people: peopleOf({ api, log, now }),
    recent,
    withEvents: async (question) => question,
    identityElsewhere: (team) => readIdentity(api, team).catch(() => undefined),
    noticeFor: options.noticeFor ?? (() => undefined),
    onRemoved: async (team) => {
      removed.push(team);
    },
  });
  await app.start();
  onTestFinished(async () => {
    await app.stop();
    await shutDown();
    await slack.close();
    slack.assertNoViolations();
  });
  return {
    slack,
    boss,
    ada,
    bob,
    channel,
    bot,
    store,
    platform,
    log: lines,
    taken,
    invocations,
    removed,
    recent,
    /** One more workspace in which the app is installed. */
    addWorkspace: (name: string) => {
      const workspace = slack.addWorkspace(name);
      workspaces.push(workspace);
      return workspace;
    },
    /** Waits until so many questions have been taken in or refused. */
    untilTaken: (count: number) =>
      vi.waitFor(() => {
        if (taken.length < count) throw new Error(`Only ${taken.length} of ${count} were asked.`);
      }, 10_000),
    /** What only this person sees, in whatever conversation, oldest first. */
    privately: ({ user }: { readonly user: { readonly id: string } }) =>
      slack
        .messages(channel)
        .filter(({ ephemeralFor }) => ephemeralFor === user.id)
        .map(({ text }) => text),
  };
}
