/** Everything that people do in Slack, taken in from Bolt: acknowledged at once, then worked on. */

import type { App, Context, ViewSubmitAction } from '@slack/bolt';
import { z } from 'zod';
import type { Log } from '../../../domain/log.ts';
import { RefusalBrake } from '../../chat/asking/refusal-brake.ts';
import type { KnownCommand } from '../../chat/text/command-line.ts';
import type { Ingress } from '../../platform.ts';
import { ownIds, readAction, readForm } from '../action-id.ts';
import { withRetryAfter } from '../api/patience.ts';
import type { SlackApi } from '../api/slack-api.ts';
import { askShortcut, slashName } from '../permissions.ts';
import { placeOf } from '../thread-id.ts';
import { answerByResponse, answerIn, failureWords, type PrivateAnswer } from './answers.ts';
import { Buttons, readPress } from './buttons.ts';
import { Commands } from './commands.ts';
import { fillOwnPage } from './own-page.ts';
import { People } from './people.ts';
import { type Hearer, Posts } from './posts.ts';
import { Readers } from './readers.ts';
import type { ChannelScene } from './scene.ts';
import { type DialogueOptions, SettingsDialogue } from './settings-dialogue.ts';
import { SummonDialogue } from './summon-dialogue.ts';
import { VisibleQuestions } from './visible-questions.ts';

export interface ListenOptions {
  readonly ingress: Ingress;
  readonly api: SlackApi;
  readonly commands: readonly KnownCommand[];
  readonly log: Log;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** What those who manage a workspace are to be told, once; absent: nothing. */
  readonly noticeFor: (team: string) => string | undefined;
  /** The app was taken out of a workspace, or its token withdrawn. */
  readonly onRemoved: (team: string) => Promise<void>;
}

const revokedSchema = z.object({ tokens: z.object({ bot: z.array(z.string()).default([]) }) });
const saidSchema = z.object({
  user: z.string(),
  channel: z.string(),
  thread_ts: z.string().exactOptional(),
});

/**
 * Sets every listener on a Bolt app, whichever way its events come.
 *
 * @returns What takes up the questions that earlier processes have left.
 */
export function listen(
  app: App,
  options: ListenOptions,
): Pick<VisibleQuestions, 'openAgain' | 'refuseAgain'> {
  return new Listener(app, options).listen();
}

class Listener {
  readonly #app: App;
  readonly #options: ListenOptions;
  readonly #dialogue: DialogueOptions;
  readonly #posts: Posts;
  readonly #asking: VisibleQuestions;
  readonly #settings: SettingsDialogue;
  readonly #summon: SummonDialogue;
  readonly #commands: Commands;
  readonly #buttons: Buttons;

  constructor(app: App, options: ListenOptions) {
    this.#app = app;
    this.#options = options;
    const { ingress, commands, log, now, noticeFor } = options;
    // Whoever asks something is looked up at once or not at all; what is shown may come a little later.
    const people = new People({ api: options.api, log, now });
    const api = withRetryAfter(options.api);
    const readers = new Readers({ api: options.api, log, now });
    const dialogue = { ingress, api, people, readers };
    const settings = new SettingsDialogue(dialogue);
    const summon = new SummonDialogue(dialogue);
    const asking = new VisibleQuestions({ ...dialogue, log, now });
    this.#dialogue = dialogue;
    this.#settings = settings;
    this.#asking = asking;
    this.#summon = summon;
    this.#posts = new Posts({ ...dialogue, brake: new RefusalBrake(now), now });
    this.#commands = new Commands({ ...dialogue, commands, asking, settings, summon, noticeFor });
    this.#buttons = new Buttons({ ...dialogue, commands, settings });
  }

  listen(): VisibleQuestions {
    this.#hearEvents();
    this.#hearCommands();
    this.#hearForms();
    return this.#asking;
  }

  #hearEvents(): void {
    const app = this.#app;
    const { onRemoved } = this.#options;
    app.event('app_mention', ({ event, context, body }) => {
      this.#tellReaders(body, context);
      return this.#handle('app_mention', () => this.#posts.hear(event, hearerIn(context)), {
        tell: this.#toAuthor(event, context),
      });
    });
    app.event('message', ({ event, context, body }) => {
      this.#tellReaders(body, context);
      // In a channel the mention that comes with it is answered.
      const isDirect = 'channel_type' in event && event.channel_type === 'im';
      return this.#handle('message', () => this.#posts.hear(event, hearerIn(context)), {
        tell: isDirect ? this.#toAuthor(event, context) : undefined,
      });
    });
    app.event('channel_deleted', ({ event, context }) => this.#channelDeleted(event, context));
    app.event('group_deleted', ({ event, context }) => this.#channelDeleted(event, context));
    app.event('app_home_opened', ({ event, context }) =>
      this.#handle('app_home_opened', () => fillOwnPage(event, teamIn(context), this.#dialogue)),
    );
    app.event('app_uninstalled', ({ context }) =>
      this.#handle('app_uninstalled', () => onRemoved(teamIn(context))),
    );
    app.event('tokens_revoked', ({ event, context }) =>
      this.#handle('tokens_revoked', async () => {
        // Tokens of people are not ours.
        const { tokens } = revokedSchema.parse(event);
        if (tokens.bot.length > 0) await onRemoved(teamIn(context));
      }),
    );
  }

  #hearCommands(): void {
    const app = this.#app;
    app.command(slashName, async ({ command, ack, respond, context }) => {
      await ack();
      const { channel_id: channel, user_id: userId, trigger_id: triggerId, text } = command;
      const scene = { team: teamIn(context), channel, userId };
      const answer = answerByResponse(this.#dialogue.api, scene, respond);
      await this.#handle(
        'command',
        () => this.#commands.slash({ scene, text: text ?? '', triggerId, answer }),
        { tell: answer },
      );
    });
    app.shortcut(
      { callback_id: askShortcut, type: 'message_action' },
      async ({ shortcut, ack, respond, context }) => {
        await ack();
        const { channel, message, user, trigger_id: triggerId } = shortcut;
        const thread = z.string().catch(message.ts).parse(message.thread_ts);
        const scene = { team: teamIn(context), channel: channel.id, thread, userId: user.id };
        const answer = answerByResponse(this.#dialogue.api, scene, respond);
        const { text = '' } = message;
        await this.#handle(
          'shortcut',
          () => this.#commands.askAbout({ scene, text, triggerId, answer }),
          { tell: answer },
        );
      },
    );
    app.action(ownIds, async ({ action, body, ack, context }) => {
      await ack();
      const carried = 'value' in action ? readAction(`${action.value}`) : undefined;
      if (!carried) return;
      const press = readPress(body, teamIn(context));
      const { channel } = press.scene;
      await this.#handle('action', () => this.#buttons.press(carried, press), {
        tell: channel ? answerIn(this.#dialogue.api, { ...press.scene, channel }) : undefined,
      });
    });
  }

  #hearForms(): void {
    const submitted = { callback_id: ownIds, type: 'view_submission' } as const;
    this.#app.view<ViewSubmitAction>(submitted, async ({ view, body, ack }) => {
      const form = readForm(view.private_metadata);
      const userId = body.user.id;
      if (form?.kind === 'summon') {
        await ack({ response_action: 'update', view: this.#summon.drafting(form) });
        await this.#handle('view', () => this.#summon.draft(view, form, userId));
      } else if (form?.kind === 'config') {
        await this.#handle('view', () => this.#settings.submit(view, form, userId, ack));
      } else await ack();
    });
  }

  #channelDeleted(event: { readonly channel: string }, context: Context): Promise<void> {
    return this.#handle('channel_deleted', () => {
      const { channel } = event;
      const { threadId } = placeOf({ team: teamIn(context), channel, thread: channel });
      return this.#dialogue.ingress.deleted({ kind: 'channel', threadId });
    });
  }

  #tellReaders(envelope: unknown, context: Context): void {
    const isOfOrganisation = context.enterpriseId !== undefined;
    this.#dialogue.readers.told(teamIn(context), envelope, isOfOrganisation);
  }

  /** What fails is in the log, and whoever waits for an answer is told. Never throws. */
  async #handle(
    what: string,
    work: () => Promise<void>,
    { tell }: { readonly tell?: PrivateAnswer | undefined } = {},
  ): Promise<void> {
    const { log } = this.#options;
    try {
      await work();
    } catch (error) {
      log.error({ what, error }, 'what somebody did in Slack could not be handled');
      await tell?.say(failureWords(error)).catch((again: unknown) => {
        log.warn({ what, error: again }, 'nor could the person be told');
      });
    }
  }

  /** Absent where nobody can be told, e.g. of a message that is gone. */
  #toAuthor(event: unknown, context: Context): PrivateAnswer | undefined {
    const said = saidSchema.safeParse(event).data;
    if (!said) return undefined;
    const { user: userId, channel, thread_ts: thread } = said;
    const scene: ChannelScene = {
      ...{ team: teamIn(context), channel, userId },
      ...(thread === undefined ? {} : { thread }),
    };
    return answerIn(this.#dialogue.api, scene);
  }
}

/** The workspace, or the organisation where the app is installed for all of it. */
function teamIn({ teamId, enterpriseId, isEnterpriseInstall }: Context): string {
  const team = isEnterpriseInstall ? enterpriseId : teamId;
  if (!team) throw new Error('Slack did not say of which workspace an event is.');
  return team;
}

function hearerIn(context: Context): Hearer {
  const { botUserId, botId } = context;
  return { team: teamIn(context), botUserId, botId };
}
