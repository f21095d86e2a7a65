/** Posts everything that the bot can show to a real Slack channel, as a test; see `chat/live/trial.ts`. */

import { z } from 'zod';
import type { OpenedFile } from '../../domain/source.ts';
import type { TurnRequest } from '../../domain/turn.ts';
import { within } from '../../waiting.ts';
import {
  type Subject,
  type TrialOptions,
  type TriedPlatform,
  trialFile,
  trialReply,
} from '../chat/live/trial.ts';
import { type Refused, TrialRecord } from '../chat/live/trial-record.ts';
import { disputed, nextQuestion } from '../chat/live/whole-council.ts';
import { backOff, briefWaitsMs } from '../chat/pacing/back-off.ts';
import { createPacer } from '../chat/pacing/pacer.ts';
import { unlessRefused } from '../chat/pacing/platform-error.ts';
import { presentTurn } from '../chat/show/turn-presenter.ts';
import { readUser } from './api/directory.ts';
import { findMarked, postEphemeral, postedSchema, postOnce, uploadFiles } from './api/messages.ts';
import { slackLimits, withRetries, withRetryAfter } from './api/patience.ts';
import { createSlackApi, type SlackApi } from './api/slack-api.ts';
import { stopStream } from './api/streams.ts';
import { readIdentity, type SlackIdentity, scopeGaps } from './connection/identity.ts';
import { deliverIn, showReply } from './ingress/answers.ts';
import { plainMessage } from './ingress/reply-messages.ts';
import { addressOf, eventIdOf, momentOf, placeOf, type SlackPlace } from './place.ts';
import { postVerdict, redraw, unpostVerdict } from './presenter/after-turn.ts';
import { SlackCanvases } from './presenter/slack-canvas.ts';
import { sinceAsked } from './presenter/turn-poster.ts';
import { isRefusal, SlackRefusal } from './slack-error.ts';
import { openAttachment } from './surroundings/hear.ts';
import { filesIn, saidSchema } from './surroundings/said-message.ts';

export interface SlackTrialOptions extends TrialOptions {
  readonly botToken: string;
  readonly apiUrl: string;
}

/** The team of all calls: the token is for one workspace. */
const anyTeam = 'trial';
const timeoutMs = 15_000;
const repliesSchema = z.object({ messages: z.array(saidSchema) });
const uploadedSchema = z.object({
  files: z.array(z.object({ files: z.array(z.object({ id: z.string() })) })),
});
const openingWords =
  'The council tries here what it can show in Slack. All of it is deleted in a few minutes.';

const noScope = 'the scope chat:write.customize is missing; see above';

/** In the order of the report. */
const subjects: readonly Subject[] = [
  ['the plan block of a turn’s progress', /"type":"plan"/],
  ['edits', /^nothing chat\.update /],
  ['streams', /^\w+ chat\.(start|append|stop)Stream /],
  ['the sages’ own names and pictures', /"username":/, noScope],
  ['the sages’ emoji in place of a picture (icon_emoji)', /"icon_emoji":/, noScope],
  ['the ranking as a chart of Slack’s own (data_visualization)', /"type":"data_visualization"/],
  ['the ranking as text, where charts are refused', /^charts (?=.*"part":"verdict").*[█░]/],
  ['the deep round: what is in dispute, and what its parties say', new RegExp(`${disputed}|↩️`)],
  [
    'the menu and the suggested questions below a verdict',
    new RegExp(`(?=.*"type":"static_select").*${nextQuestion}`),
  ],
  ['the status line', /^\w+ assistant\.threads\.setStatus /],
  ['the mention when it is done', /"type":"user"/],
  ['links to a verdict', /^\w+ chat\.getPermalink /],
  ['a moment in the reader’s own zone (<!date^…>) in a markdown block', /<!date\^/],
  ['tables and buttons', /"type":"(table|actions)"/],
  [
    'a message for one person',
    /^\w+ chat\.postEphemeral /,
    'only the bot was found in the channel',
  ],
  [
    'plain: the progress without a plan, and answers that come whole',
    /^forms chat\.postMessage .*"blocks":\[\{/,
  ],
  ['plain: a message without blocks', /^forms chat\.postMessage (?!.*"blocks":\[\{)/],
  ['files', /^\w+ files\.uploadV2 /],
];

const fixes: Readonly<Record<string, (channel: string) => string>> = {
  missing_scope: () =>
    'Put config/slack-manifest.yaml into your app’s page, under App Manifest, and install the app again.',
  channel_not_found: (channel) =>
    `The bot sees no channel ${channel}. Copy the id from the end of the channel’s details, and \`/invite\` the bot there.`,
  not_in_channel: (channel) => `\`/invite\` the bot in the channel ${channel}.`,
  is_archived: () => 'Choose a channel that is not archived.',
  invalid_blocks: () =>
    'Slack no longer accepts this form. The bot uses a plainer one instead; report it with this line.',
};

/** Simulates a refusal of something that has a plainer form. */
function refusalOf(method: string, args: unknown, refusing: Refused): SlackRefusal | undefined {
  const sent = JSON.stringify(args);
  const refused = (code: string) => new SlackRefusal(`Refused for the trial: ${code}.`, { code });
  if (refusing === 'nothing') return undefined;
  if (refusing === 'charts') {
    return sent.includes('"type":"data_visualization"') ? refused('invalid_blocks') : undefined;
  }
  if (method === 'chat.startStream') return refused('method_not_supported_for_channel_type');
  if (sent.includes('"username":')) return refused('missing_scope');
  const isVerdict = sent.includes('"part":"verdict"') && sent.includes('"blocks":[{');
  return sent.includes('"type":"plan"') || isVerdict ? refused('invalid_blocks') : undefined;
}

export class SlackTrial implements TriedPlatform {
  readonly subjects = subjects;
  readonly record = new TrialRecord();
  readonly egress: TriedPlatform['egress'];
  readonly #options: SlackTrialOptions;
  readonly #api: SlackApi;
  readonly #patientApi: SlackApi;
  readonly #retryWaitsMs: readonly number[];
  #identity: SlackIdentity | undefined;
  #place: SlackPlace | undefined;
  /** The person who asks: a member of the channel, otherwise the bot itself. */
  #person = { id: '', name: 'the council’s operator' };
  /** Messages whose stream is open. */
  readonly #growing = new Set<string>();

  constructor(options: SlackTrialOptions) {
    const { botToken, apiUrl, log, retryWaitsMs = briefWaitsMs } = options;
    this.#options = options;
    this.#retryWaitsMs = retryWaitsMs;
    const api = this.#recorded(createSlackApi({ tokenOf: () => botToken, apiUrl, timeoutMs }));
    this.#api = api;
    this.#patientApi = withRetries(withRetryAfter(api), retryWaitsMs);
    const pacer = createPacer({ limits: options.limits ?? slackLimits });
    const canvases = new SlackCanvases({
      ...{ api, log, retryWaitsMs },
      pacerOf: () => pacer,
      identityOf: async () => this.#known(),
      onNoPersonas: () => undefined,
    });
    this.egress = {
      present: (turn, events, signal) => presentTurn(turn, events, signal, canvases, log),
      redraw: (turn) => redraw(turn, api, this.#known().botId),
      post: (turn) => postVerdict(turn, api),
      unpost: (turn) => unpostVerdict(turn, api),
    };
  }

  async begin(): Promise<string> {
    const api = this.#patientApi;
    const identity = await readIdentity(api, anyTeam);
    this.#identity = identity;
    const { team, teamName, botUserId, scopes } = identity;
    const { channel } = this.#options;
    const mark = { turnId: crypto.randomUUID(), part: 'trial' };
    const opening = { ...plainMessage(openingWords), mark };
    const find = () => findMarked(api, { team, channel }, mark, sinceAsked(Date.now()));
    const thread = await postOnce(this.#api, { team, channel }, opening, this.#retryWaitsMs, find);
    this.#place = { team, channel, thread };
    this.#person = { ...this.#person, id: (await this.#findPerson()) ?? botUserId };
    const lacking = scopeGaps(teamName, scopes)
      .map(({ scope, lost }) => `${scope} (${lost})`)
      .join('; ');
    const watch = `Watch ${addressOf(placeOf(this.#place).threadId)}`;
    const lines = [`The token is good for ${teamName}.`, lacking && `It lacks ${lacking}.`, watch];
    return lines.filter(Boolean).join(' ');
  }

  async ask(question: string): Promise<TurnRequest> {
    const place = this.#opened();
    return {
      turnId: crypto.randomUUID(),
      threadId: placeOf(place).threadId,
      eventId: eventIdOf(place.channel, place.thread),
      ...{ question, author: this.#person, askedAt: momentOf(place.thread) },
    };
  }

  async showReplies(): Promise<void> {
    const place = this.#opened();
    await showReply(trialReply(), deliverIn(this.#patientApi, place));
    if (this.#person.id === this.#known().botUserId) return;
    const { channel, team } = place;
    const alone = plainMessage('Seen by you alone; it goes when you reload.');
    await postEphemeral(this.#patientApi, { team, channel }, this.#person.id, alone);
  }

  /** Slack posts a file some moments after its upload. */
  async openFile(signal: AbortSignal): Promise<OpenedFile> {
    const { botToken: token, apiUrl } = this.#options;
    const { name, text: content } = trialFile;
    await uploadFiles(this.#patientApi, this.#opened(), [{ name, content }]);
    for (const waitMs of [0, ...this.#retryWaitsMs]) {
      await backOff(waitMs, signal);
      const [source] = (await this.#replies()).flatMap(({ files }) => filesIn(files));
      if (source?.status === 'pointed') {
        return openAttachment(source.address, { token, apiUrl }, signal);
      }
    }
    return { status: 'withheld', why: 'Slack shows no message with the file' };
  }

  async look(): ReturnType<TriedPlatform['look']> {
    const all = await this.#replies();
    const own = all.filter(({ bot_id }) => bot_id === this.#known().botId);
    for (const { ts } of own) this.#keep(ts);
    const seen = JSON.stringify(own).includes('"type":"date"')
      ? 'Slack made a date of the moment'
      : 'Slack returned the moment as it was written, so check that people see a date';
    return { ids: new Set(own.map(({ ts }) => ts)), seen };
  }

  async clear(): ReturnType<TriedPlatform['clear']> {
    return { left: this.#place ? await this.record.clear(() => this.look()) : [] };
  }

  fixFor(error: unknown): string | undefined {
    return error instanceof SlackRefusal ? fixes[error.code]?.(this.#options.channel) : undefined;
  }

  #keep(ts: string): void {
    this.record.made('Message', ts, async () => {
      const place = this.#opened();
      const { team, channel } = place;
      // Slack may have closed the stream already.
      const end = () => stopStream(this.#patientApi, place, ts, { markdown: '' });
      if (this.#growing.has(ts)) await unlessRefused(end);
      await this.#patientApi.call(team, 'chat.delete', { channel, ts }).catch((error: unknown) => {
        if (!isRefusal(error, 'message_not_found')) throw error;
      });
    });
  }

  /** Records all calls. A started call is awaited even if the trial ends, so its message can be deleted. */
  #recorded(api: SlackApi): SlackApi {
    return {
      call: (team, method, args, signal) => {
        const refusal = refusalOf(method, args, this.record.refusing);
        if (refusal) return Promise.reject(refusal);
        const made = this.record.call(method, args, async () => {
          const answer = await api.call(team, method, args);
          this.#keepTrack(method, `${args.ts}`, answer);
          return answer;
        });
        return signal ? within(made, { signal }) : made;
      },
    };
  }

  /** Records what a call has created or deleted. */
  #keepTrack(method: string, changed: string, answer: unknown): void {
    if (method === 'chat.delete') this.record.gone(changed);
    if (method === 'chat.stopStream') this.#growing.delete(changed);
    if (method === 'chat.postMessage' || method === 'chat.startStream') {
      const { ts } = postedSchema.parse(answer);
      this.#keep(ts);
      if (method === 'chat.startStream') this.#growing.add(ts);
    }
    if (method !== 'files.uploadV2') return;
    for (const { id: file } of uploadedSchema.parse(answer).files.flatMap(({ files }) => files)) {
      const remove = () => this.#patientApi.call(anyTeam, 'files.delete', { file });
      this.record.made('File', file, remove);
    }
  }

  async #findPerson(): Promise<string | undefined> {
    const { team, channel } = this.#opened();
    return unlessRefused(async () => {
      const answer = await this.#patientApi.call(team, 'conversations.members', { channel });
      const { members } = z.object({ members: z.array(z.string()) }).parse(answer);
      for (const member of members) {
        if (!(await readUser(this.#patientApi, team, member)).isBot) return member;
      }
      return undefined;
    });
  }

  /** Reads the thread; a trial never posts more than one page. */
  async #replies() {
    const { team, channel, thread: ts } = this.#opened();
    const args = { channel, ts, limit: 200 };
    const answer = await this.#patientApi.call(team, 'conversations.replies', args);
    return repliesSchema.parse(answer).messages;
  }

  #opened(): SlackPlace {
    if (!this.#place) throw new Error('Nothing was posted yet.');
    return this.#place;
  }

  #known(): SlackIdentity {
    if (!this.#identity) throw new Error('Slack was not asked yet who the bot is.');
    return this.#identity;
  }
}
