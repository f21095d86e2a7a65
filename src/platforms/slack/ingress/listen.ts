/** Everything that people do in Slack, taken in from Bolt: acknowledged at once, then worked on. */

import type { App, Context, ViewSubmitAction } from '@slack/bolt';
import { z } from 'zod';
import type { Log } from '../../../domain/log.ts';
import { hello } from '../../chat/asking/hello.ts';
import { RefusalBrake } from '../../chat/asking/refusal-brake.ts';
import { aboutForm } from '../../chat/hearing/pointing.ts';
import type { KnownCommand } from '../../chat/text/command-line.ts';
import type { Ingress } from '../../platform.ts';
import { ownIds, readAction, readForm, readPicked } from '../action-id.ts';
import { withRetryAfter } from '../api/patience.ts';
import type { SlackApi } from '../api/slack-api.ts';
import { teamIn } from '../connection/bolt.ts';
import { saidSchema } from '../hearing/said-message.ts';
import type { ToldThreads } from '../hearing/told-threads.ts';
import { askShortcut, slashName } from '../permissions.ts';
import { placeOf, platformName } from '../thread-id.ts';
import {
  answerByResponse,
  answerIn,
  deliverIn,
  failureWords,
  type PrivateAnswer,
  showReply,
} from './answers.ts';
import { VisibleQuestions } from './ask-by-command.ts';
import { press, readPress } from './buttons.ts';
import { Commands } from './commands.ts';
import { type Hearer, Posts } from './messages.ts';
import { hearMissed } from './missed.ts';
import { fillOwnPage } from './own-page.ts';
import type { People } from './people.ts';
import { Readers } from './readers.ts';
import { ownWorkspace, sceneOf } from './scene.ts';
import { type DialogueOptions, SettingsDialogue } from './settings-dialogue.ts';
import { drafting, draftSage } from './summon-dialogue.ts';

export interface ListenOptions {
  readonly ingress: Ingress;
  readonly api: SlackApi;
  readonly people: People;
  /** Hears of all that is said. */
  readonly told: ToldThreads;
  readonly commands: readonly KnownCommand[];
  readonly log: Log;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** What was missed while nothing came in is answered if it is no older. */
  readonly answerMissedWithinMs: number;
  /** What those who manage a workspace are to be told, once; absent: nothing. */
  readonly noticeFor: (team: string) => string | undefined;
  /** The app was taken out of a workspace, or its token withdrawn. */
  readonly onRemoved: (team: string) => Promise<void>;
  /** The id of a channel is another now. */
  readonly onIdChanged: (team: string, before: string, now: string) => Promise<void>;
}

const revokedSchema = z.object({ tokens: z.object({ bot: z.array(z.string()).default([]) }) });
const toldSchema = z.object({
  user: z.string(),
  channel: z.string(),
  thread_ts: z.string().exactOptional(),
});

/** What listeners work with. */
interface Listening extends DialogueOptions {
  readonly app: App;
  readonly log: Log;
  readonly posts: Posts;
  readonly told: ToldThreads;
  readonly council: Commands;
  readonly settings: SettingsDialogue;
}

/** What is taken up besides what events tell of. */
export interface Listener {
  /** Questions that earlier processes have left. */
  readonly asking: Pick<VisibleQuestions, 'openAgain' | 'refuseAgain'>;
  /** What was said in a workspace while no event came; see {@link hearMissed}. */
  readonly hearMissed: (team: string, since: number) => Promise<void>;
}

/** Sets every listener on a Bolt app, whichever way its events come. */
export function listen(app: App, options: ListenOptions): Listener {
  const { ingress, commands, log, now, noticeFor } = options;
  const lookup = { api: options.api, log, now };
  const dialogue = {
    ingress,
    // A person who asks something is looked up at once or not at all; what is shown may come a little later.
    people: options.people,
    readers: new Readers(lookup),
    api: withRetryAfter(options.api),
  };
  const settings = new SettingsDialogue(dialogue);
  const asking = new VisibleQuestions({ ...dialogue, log, now });
  const listening: Listening = {
    ...{ ...dialogue, app, log, settings, told: options.told },
    posts: new Posts({ ...dialogue, brake: new RefusalBrake(now), now }),
    council: new Commands({ ...dialogue, commands, asking, settings, noticeFor }),
  };
  hearMessages(listening);
  hearWorkspaces(listening, options);
  hearCommands(listening);
  hearButtons(listening, commands);
  hearForms(listening);
  const missed = {
    ...{ api: options.api, log, now, answerWithinMs: options.answerMissedWithinMs },
    hear: (event: object, hearer: Hearer) => {
      const tell = toAuthor(event, hearer.team, listening);
      return handle('missed', () => listening.posts.hear(event, hearer), listening, tell);
    },
  };
  return { asking, hearMissed: (team, since) => hearMissed(team, since, missed) };
}

function hearMessages(listening: Listening): void {
  const { app, posts, readers, told } = listening;
  const tellReaders = (envelope: { readonly event: unknown }, context: Context) => {
    readers.told(teamIn(context), envelope, context.enterpriseId !== undefined);
    told.told(teamIn(context), envelope.event);
  };
  app.event('app_mention', ({ event, context, body }) => {
    tellReaders(body, context);
    const tell = toAuthor(event, teamIn(context), listening);
    return handle('app_mention', () => posts.hear(event, hearerIn(context, body)), listening, tell);
  });
  app.event('message', ({ event, context, body }) => {
    tellReaders(body, context);
    // In a channel the mention that comes with it is answered.
    const isDirect = 'channel_type' in event && event.channel_type === 'im';
    const tell = isDirect ? toAuthor(event, teamIn(context), listening) : undefined;
    return handle('message', () => posts.hear(event, hearerIn(context, body)), listening, tell);
  });
}

function hearWorkspaces(listening: Listening, { onRemoved, onIdChanged }: ListenOptions): void {
  const { app, ingress, readers } = listening;
  const channelDeleted = ({ channel }: { readonly channel: string }, context: Context) =>
    handle(
      'channel_deleted',
      () => {
        const { threadId } = placeOf({ team: teamIn(context), channel, thread: channel });
        return ingress.deleted({ kind: 'channel', threadId });
      },
      listening,
    );
  app.event('channel_deleted', ({ event, context }) => channelDeleted(event, context));
  app.event('group_deleted', ({ event, context }) => channelDeleted(event, context));
  app.event('member_joined_channel', ({ event, context }) =>
    handle('member_joined_channel', () => greet(event, context, listening), listening),
  );
  app.event('channel_id_changed', ({ event, context }) =>
    handle(
      'channel_id_changed',
      async () => {
        const { old_channel_id: before, new_channel_id: now } = event;
        await onIdChanged(teamIn(context), before, now);
        // It is shared with others now.
        readers.forget(teamIn(context), before);
      },
      listening,
    ),
  );
  app.event('app_home_opened', ({ event, context }) =>
    handle('app_home_opened', () => fillOwnPage(event, teamIn(context), listening), listening),
  );
  app.event('app_uninstalled', ({ context }) =>
    handle('app_uninstalled', () => onRemoved(teamIn(context)), listening),
  );
  app.event('tokens_revoked', ({ event, context }) =>
    handle(
      'tokens_revoked',
      async () => {
        // Tokens of people are not ours.
        const { tokens } = revokedSchema.parse(event);
        if (tokens.bot.length > 0) await onRemoved(teamIn(context));
      },
      listening,
    ),
  );
}

/** The app itself was added to a channel. */
async function greet(
  { user, channel }: { readonly user: string; readonly channel: string },
  context: Context,
  { ingress, api }: Listening,
): Promise<void> {
  if (user !== context.botUserId) return;
  const team = teamIn(context);
  if (!(await ingress.mayGreet({ platform: platformName, workspace: team, channel }))) return;
  await showReply(hello('channel'), deliverIn(api, { team, channel }));
}

function hearCommands(listening: Listening): void {
  const { app, api, council } = listening;
  app.command(slashName, async ({ command, body, ack, respond, context }) => {
    await ack();
    const { channel_id: channel, user_id: userId, trigger_id: triggerId, text = '' } = command;
    const team = teamIn(context);
    const scene = { team, channel, userId, ...ownWorkspace(body, team) };
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
      const scene = { ...at, userId: user.id, ...ownWorkspace(body, team) };
      const answer = answerByResponse(api, scene, respond);
      const given = { scene, said, triggerId, answer };
      await handle('shortcut', () => council.askAbout(given), listening, answer);
    },
  );
}

function hearButtons(listening: Listening, commands: ListenOptions['commands']): void {
  const { app, api } = listening;
  app.action(ownIds, async ({ action, body, ack, context }) => {
    await ack();
    const carried =
      action.type === 'static_select'
        ? readPicked(action.action_id, action.selected_option.value)
        : 'value' in action
          ? readAction(`${action.value}`)
          : undefined;
    if (!carried) return;
    const pressed = readPress(body, teamIn(context));
    const { channel } = pressed.scene;
    const tell = channel ? answerIn(api, { ...pressed.scene, channel }) : undefined;
    const work = () =>
      press(carried, pressed, { ...listening, commands, hearer: hearerIn(context, body) });
    await handle('action', work, listening, tell);
  });
}

function hearForms(listening: Listening): void {
  const { app, settings, council } = listening;
  const submitted = { callback_id: ownIds, type: 'view_submission' } as const;
  app.view<ViewSubmitAction>(submitted, async ({ view, body, ack }) => {
    const form = readForm(view.private_metadata);
    const userId = body.user.id;
    if (form?.kind === 'summon') {
      await ack({ response_action: 'update', view: drafting(form) });
      await handle('view', () => draftSage(view, form, userId, listening), listening);
    } else if (form?.kind === 'config') {
      await handle('view', () => settings.submit(view, form, userId, ack), listening);
    } else if (form?.kind === 'about') {
      await ack();
      const typed = typedIn(view);
      const tell = answerIn(listening.api, sceneOf(form, userId));
      await handle('view', () => council.askTyped(form, userId, typed, view.id), listening, tell);
    } else await ack();
  });
}

const typedSchema = z.object({
  state: z.object({
    values: z.object({
      [aboutForm.field]: z.object({ [aboutForm.field]: z.object({ value: z.string().nullish() }) }),
    }),
  }),
});

/** What a person wants to know about a message; they may leave it empty. */
function typedIn(view: unknown): string {
  return typedSchema.parse(view).state.values[aboutForm.field][aboutForm.field].value ?? '';
}

/** What fails is in the log, and a person who waits for an answer is told. Never throws. */
async function handle(
  what: string,
  work: () => Promise<void>,
  { log }: Pick<Listening, 'log'>,
  tell?: PrivateAnswer,
): Promise<void> {
  try {
    await work();
  } catch (error) {
    log.error({ what, error }, 'an event of Slack could not be handled');
    await tell?.say(failureWords(error)).catch((again: unknown) => {
      log.warn({ what, error: again }, 'nor could the person be told');
    });
  }
}

/** Absent where the event names no author, e.g. of a message that is gone. */
function toAuthor(event: unknown, team: string, { api }: Listening): PrivateAnswer | undefined {
  const said = toldSchema.safeParse(event).data;
  if (!said) return undefined;
  const { user: userId, channel, thread_ts: thread } = said;
  const within = thread === undefined ? {} : { thread };
  return answerIn(api, { team, channel, userId, ...within });
}

function hearerIn(context: Context, body: unknown): Hearer {
  const { botUserId, botId } = context;
  const team = teamIn(context);
  return { team, botUserId, botId, ...ownWorkspace(body, team) };
}
