/** Registers all Bolt listeners: each acknowledges at once, then handles the event. */

import type { App, BlockAction, Context, EventFromType, ViewSubmitAction } from '@slack/bolt';
import { hello } from '../../chat/asking/asking-words.ts';
import { RefusalBrake } from '../../chat/asking/said-questions.ts';
import { summonForm } from '../../chat/forms.ts';
import { ownIdPattern, readAction, readForm, readMenuPick } from '../action-id.ts';
import { withRetryAfter } from '../api/patience.ts';
import { teamIn } from '../connection/bolt.ts';
import { askShortcut, slashName } from '../connection/identity.ts';
import { homeWorkspace, isDirect, placeOf, platformName, sceneOf } from '../place.ts';
import { failureWords } from '../slack-error.ts';
import type { RecentThreads } from '../surroundings/recent-threads.ts';
import { type BotIds, readMessageEvent, saidSchema } from '../surroundings/said-message.ts';
import { answerByResponse, answerIn, type PrivateAnswer, showEverybody } from './answers.ts';
import { publishHome, suggestPrompts } from './app-home.ts';
import { visibleQuestions } from './ask-by-command.ts';
import { press, readPress } from './buttons.ts';
import { type Commands, commandsOf } from './commands.ts';
import { answerToPost, type EventContext, type Posts, postsOf } from './messages.ts';
import { answerMissed } from './missed.ts';
import { sayingModal } from './modals.ts';
import { type IngressContext, readersOf } from './readers.ts';
import { submitSettings } from './settings-dialogue.ts';

export interface ListenOptions extends Omit<IngressContext, 'readers' | 'brake'> {
  /** Notes every message. */
  readonly recent: RecentThreads;
  /** Maximum age of a missed message that is still answered. */
  readonly answerMissedWithinMs: number;
  /** The app's ids in a workspace other than that of an event; `undefined` if it is not there. */
  readonly identityElsewhere: (team: string) => Promise<BotIds | undefined>;
  /** The app was removed from a workspace, or its token revoked. */
  readonly onRemoved: (team: string) => Promise<void>;
  /** Slack has changed a channel's id. */
  readonly onIdChanged: (team: string, before: string, now: string) => Promise<void>;
}

/** The dependencies of the listeners. */
interface Listening extends IngressContext, ListenOptions {
  readonly app: App;
  readonly posts: Posts;
  readonly council: Commands;
}

/**
 * Registers every listener on a Bolt app, whatever its connection.
 *
 * @returns What no event starts: resuming questions of earlier processes, and {@link answerMissed}.
 */
export function listen(app: App, options: ListenOptions) {
  const { log, now } = options;
  const context = {
    ...options,
    // A lookup about a question is never delayed by rate limits; messages may wait them out.
    readers: readersOf(options),
    api: withRetryAfter(options.api),
    brake: new RefusalBrake(now),
  };
  const asking = visibleQuestions(context);
  const posts = postsOf(context);
  const listening: Listening = { ...context, app, posts, council: commandsOf(context, asking) };
  listenToMessages(listening);
  listenToWorkspaces(listening);
  listenToCommands(listening);
  listenToButtons(listening);
  listenToForms(listening);
  const missed = {
    api: options.api,
    log,
    now,
    answerWithinMs: options.answerMissedWithinMs,
    handle: (event: object, eventContext: EventContext) =>
      handleMessage('missed', event, eventContext, listening),
  };
  return {
    asking,
    answerMissed: (team: string, since: number, signal: AbortSignal) =>
      answerMissed(team, since, { ...missed, signal }),
  };
}

function listenToMessages(listening: Listening): void {
  const { app, recent, identityElsewhere } = listening;

  /**
   * Slack tells of a message once, also in a channel that several workspaces with the app share, and names any of
   * them. It is handled for the author's, too, whose app may be the one that is meant.
   */
  async function contextsOf(own: EventContext): Promise<readonly EventContext[]> {
    const { workspace: team } = own;
    const there = team === undefined ? undefined : await identityElsewhere(team);
    if (team === undefined || there === undefined) return [own];
    return [own, { team, botUserId: there.botUserId, botId: there.botId }];
  }

  for (const type of ['app_mention', 'message'] as const) {
    app.event(type, async ({ event, context, body }) => {
      const own = eventContextOf(context, body);
      // For this one alone: the other does not get all messages of a thread, and has to read it.
      recent.note(own.team, event);
      const contexts = isDirect(event.channel) ? [own] : await contextsOf(own);
      await Promise.all(contexts.map((one) => handleMessage(type, event, one, listening)));
    });
  }
}

function listenToWorkspaces(listening: Listening): void {
  const { app, ingress, api, readers, posts, recent, onRemoved, onIdChanged } = listening;
  const on = <Type extends string>(
    type: Type,
    work: (event: EventFromType<Type>, team: string, context: Context) => Promise<void>,
  ) =>
    app.event(type, ({ event, context }) =>
      handle(type, () => work(event, teamIn(context), context), listening),
    );
  for (const type of ['channel_deleted', 'group_deleted'] as const) {
    on(type, ({ channel }, team) => {
      const { threadId } = placeOf({ team, channel, thread: channel });
      return ingress.deleted({ kind: 'channel', threadId });
    });
  }
  // The app itself was added to a channel.
  on('member_joined_channel', async ({ user, channel }, team, { botUserId }) => {
    if (user !== botUserId) return;
    recent.forget(team, channel);
    if (!(await ingress.mayGreet({ platform: platformName, workspace: team, channel }))) return;
    await showEverybody(api, { team, channel }, hello('channel'));
  });
  // Slack's own Stop, below a thread in which the council answers.
  on('agent_session_stopped', ({ event_ts: ts, streaming_message_ts: _, ...stop }, team) =>
    posts.run('stop', { ...stop, ts, text: '', files: [] }, { team }),
  );
  on('channel_id_changed', async (event, team) => {
    const { old_channel_id: before, new_channel_id: now } = event;
    await onIdChanged(team, before, now);
    // The channel is now shared with another organisation.
    readers.forget(team, before);
  });
  on('app_home_opened', ({ user: userId, channel, tab }, team) =>
    tab === 'messages'
      ? suggestPrompts({ team, channel, userId }, listening)
      : publishHome({ team, userId }, listening),
  );
  on('app_uninstalled', (_, team) => onRemoved(team));
  on('tokens_revoked', async ({ tokens }, team) => {
    // Revoked user tokens do not concern the app.
    if (tokens.bot?.length) await onRemoved(team);
  });
}

function listenToCommands(listening: Listening): void {
  const { app, api, council } = listening;
  app.command(slashName, async ({ command, body, ack, respond, context }) => {
    await ack();
    const { channel_id: channel, user_id: userId, trigger_id: triggerId, text = '' } = command;
    const team = teamIn(context);
    const scene = { team, channel, userId, ...homeWorkspace(body, team) };
    const answer = answerByResponse(api, scene, respond);
    const given = { scene, text, triggerId, answer };
    await handle('command', () => council.slash(given), listening, answer);
  });
  app.shortcut(
    { callback_id: askShortcut, type: 'message_action' },
    async ({ shortcut, body, ack, respond, context }) => {
      await ack();
      const { channel, message, user, trigger_id: triggerId } = shortcut;
      const said = saidSchema.parse(message);
      const thread = said.thread_ts ?? said.ts;
      const team = teamIn(context);
      const at = { team, channel: channel.id, thread };
      const scene = { ...at, userId: user.id, ...homeWorkspace(body, team) };
      const answer = answerByResponse(api, scene, respond);
      const given = { scene, said, triggerId, answer, botId: context.botId };
      await handle('shortcut', () => council.askAbout(given), listening, answer);
    },
  );
}

function listenToButtons(listening: Listening): void {
  const { app, api, posts } = listening;
  app.action<BlockAction>(ownIdPattern, async ({ action, body, ack, respond, context }) => {
    await ack();
    const requested =
      action.type === 'static_select'
        ? readMenuPick(action.action_id, action.selected_option.value)
        : 'value' in action
          ? readAction(`${action.value}`)
          : undefined;
    if (!requested) return;
    const pressed = readPress(body, teamIn(context));
    const { scene } = pressed;
    const answer = answerIn(api, scene, scene.channel === undefined ? undefined : respond);
    const where = eventContextOf(context, body);
    const work = () =>
      press(requested, pressed, answer, (...again) => posts.askAgain(...again, where), listening);
    await handle('action', work, listening, answer);
  });
}

function listenToForms(listening: Listening): void {
  const { app, api, council } = listening;
  const submitted = { callback_id: ownIdPattern, type: 'view_submission' } as const;
  app.view<ViewSubmitAction>(submitted, async ({ view, body, ack }) => {
    const form = readForm(view.private_metadata);
    const userId = body.user.id;
    if (form?.kind === 'summon') {
      const words = 'The sage is being drafted. It may take a minute.';
      await ack({
        response_action: 'update',
        view: sayingModal(summonForm.title, words, form),
      });
      await handle('view', () => council.draftSage(view, form, userId), listening);
    } else if (form?.kind === 'config') {
      const save = async () => {
        await submitSettings(view, form, userId, ack, listening);
        // Opened on the App Home, which shows the defaults.
        if (form.channel === form.team) await publishHome({ team: form.team, userId }, listening);
      };
      await handle('view', save, listening);
    } else if (form?.kind === 'about') {
      await ack();
      const scene = { ...sceneOf(form, userId), ...homeWorkspace(body, form.team) };
      const answer = answerIn(api, scene);
      await handle('view', () => council.askTyped(view, form, scene), listening, answer);
    } else await ack();
  });
}

/** Logs a failure, and answers a person who is waiting. Never throws. */
async function handle(
  what: string,
  work: () => Promise<void>,
  { log }: Pick<Listening, 'log'>,
  answer?: PrivateAnswer,
): Promise<void> {
  try {
    await work();
  } catch (error) {
    log.error({ what, error }, 'a Slack event could not be handled');
    await answer?.say(failureWords(error)).catch((again: unknown) => {
      log.warn({ what, error: again }, 'the person could not be notified either');
    });
  }
}

/** Handles what an event did to a message. Its author is told if that fails. Never throws. */
function handleMessage(
  what: 'message' | 'app_mention' | 'missed',
  event: unknown,
  context: EventContext,
  listening: Listening,
): Promise<void> {
  const change = readMessageEvent(event, context);
  const post = change && 'post' in change ? change.post : undefined;
  // In channels, the mention event that comes with the message is answered.
  const isAnswered = post && (what !== 'message' || isDirect(post.channel));
  const answer = isAnswered ? answerToPost(listening.api, context.team, post) : undefined;
  return handle(what, () => listening.posts.handle(change, context), listening, answer);
}

function eventContextOf(context: Context, body: unknown): EventContext {
  const { botUserId, botId } = context;
  const team = teamIn(context);
  return { team, botUserId, botId, ...homeWorkspace(body, team) };
}
