/** Tries on Slack itself what the bot shows there; see `chat/live/trial.ts`. */

import { z } from 'zod';
import type { Log } from '../../../domain/log.ts';
import type { OpenedFile } from '../../../domain/source.ts';
import { momentMark } from '../../../domain/words.ts';
import { within } from '../../../waiting.ts';
import { Cleanup } from '../../chat/live/cleanup.ts';
import {
  CallNotes,
  type Cleared,
  type TrialTurn,
  type TriedPlatform,
  trialFile,
  trialPresentation,
} from '../../chat/live/trial.ts';
import { backOff, briefWaitsMs } from '../../chat/pacing/back-off.ts';
import type { PacingLimits } from '../../chat/pacing/call-ledger.ts';
import { createPacer } from '../../chat/pacing/pacer.ts';
import { unlessRefused } from '../../chat/pacing/platform-error.ts';
import { tellTurn } from '../../chat/show/turn-teller.ts';
import {
  findMarked,
  type MessageMark,
  postEphemeral,
  postOnce,
  readReplies,
  uploadFiles,
} from '../api/messages.ts';
import { slackLimits, withRepetition, withRetryAfter } from '../api/patience.ts';
import { createSlackApi, type SlackApi } from '../api/slack-api.ts';
import { stopStream } from '../api/streams.ts';
import { readUser } from '../api/users.ts';
import { readIdentity, type SlackIdentity } from '../connection/identity.ts';
import { openAttached } from '../hearing/hear.ts';
import { filesIn, saidSchema } from '../hearing/said-message.ts';
import { deliverIn, showReply } from '../ingress/answers.ts';
import { plainMessage } from '../ingress/reply-messages.ts';
import { eventIdOf, momentOf } from '../ingress/scene.ts';
import { scopeGaps } from '../permissions.ts';
import { postVerdict, redraw, unpostVerdict } from '../presenter/after-turn.ts';
import { SlackCanvases } from '../presenter/slack-canvas.ts';
import { isRefusal, SlackRefusal } from '../slack-error.ts';
import { addressOf, placeOf, type SlackPlace } from '../thread-id.ts';
import { fixFor, refusalOf, subjects } from './subjects.ts';

export interface SlackTrialOptions {
  readonly botToken: string;
  /** A channel that the bot is in, `C…` or `G…`. */
  readonly channel: string;
  readonly log: Log;
  readonly apiUrl: string;
  /** Absent: what Slack is known to allow. */
  readonly limits?: PacingLimits;
  /** Waits before each further try; absent: 16 s in all. */
  readonly retryWaitsMs?: readonly number[];
}

/** A trial's calls are all made in the name of the one workspace of the token. */
const anyTeam = 'trial';
const timeoutMs = 15_000;
const repliesSchema = z.object({ messages: z.array(saidSchema) });
const uploadedSchema = z.object({
  files: z.array(z.object({ files: z.array(z.object({ id: z.string() })) })),
});
/** Slack's clock may be behind this one. */
const clockMarginS = 600;
const openingWords =
  'The council tries here what it can show in Slack. All of it is deleted in a few minutes.';

export class SlackTrial implements TriedPlatform {
  readonly subjects = subjects;
  readonly notes = new CallNotes();
  readonly afterVerdict: TriedPlatform['afterVerdict'] = {
    redraw: (turn) => redraw(turn, this.#api, this.#known().botId),
    post: (turn) => postVerdict(turn, this.#api),
    unpost: (turn) => unpostVerdict(turn, this.#api),
  };
  readonly #options: SlackTrialOptions;
  readonly #api: SlackApi;
  readonly #patientApi: SlackApi;
  readonly #canvases: SlackCanvases;
  #identity: SlackIdentity | undefined;
  #place: SlackPlace | undefined;
  /** Who is answered: a person in the channel, else the bot itself. */
  #person = { id: '', name: 'the council’s operator' };
  readonly #cleanup = new Cleanup();
  /** Of the messages, the ones whose stream is open. */
  readonly #growing = new Set<string>();

  constructor(options: SlackTrialOptions) {
    const { botToken, apiUrl, log, retryWaitsMs = briefWaitsMs } = options;
    this.#options = options;
    const api = createSlackApi({ tokenOf: () => botToken, apiUrl, timeoutMs });
    this.#api = this.#noted(api);
    this.#patientApi = withRepetition(withRetryAfter(this.#api), retryWaitsMs);
    const pacer = createPacer({ limits: options.limits ?? slackLimits });
    this.#canvases = new SlackCanvases({
      ...{ api: this.#api, log, retryWaitsMs },
      pacerOf: () => pacer,
      identityOf: async () => this.#known(),
      onNoPersonas: () => undefined,
    });
  }

  async begin(): Promise<string> {
    const identity = await readIdentity(this.#patientApi, anyTeam);
    this.#identity = identity;
    const { team, teamName, botUserId, scopes } = identity;
    const { channel } = this.#options;
    const since = (Date.now() / 1000 - clockMarginS).toFixed(6);
    const opening = {
      ...plainMessage(openingWords),
      mark: { turnId: crypto.randomUUID(), part: 'trial' },
    };
    const find = (mark: MessageMark) =>
      findMarked(this.#patientApi, { team, channel }, mark, since);
    const { retryWaitsMs = briefWaitsMs } = this.#options;
    const thread = await postOnce(this.#api, { team, channel }, opening, retryWaitsMs, find);
    this.#place = { team, channel, thread };
    const person = await this.#findPerson();
    this.#person = { ...this.#person, id: person ?? botUserId };
    const gaps = scopeGaps(teamName, scopes ?? []).map(({ scope, lost }) => `${scope} (${lost})`);
    const lacking =
      scopes === undefined || gaps.length === 0 ? [] : [`It lacks ${gaps.join('; ')}.`];
    const watch = `Watch ${addressOf(placeOf(this.#place).threadId)}`;
    return [`The token is good for ${teamName}.`, ...lacking, watch].join(' ');
  }

  async show(turn: TrialTurn, signal: AbortSignal): Promise<void> {
    const place = this.#opened();
    const request = {
      turnId: crypto.randomUUID(),
      threadId: placeOf(place).threadId,
      eventId: eventIdOf(place.channel, place.thread),
      question: turn.question,
      author: this.#person,
      askedAt: momentOf(place.thread),
    };
    const events = turn.events(request, signal);
    await tellTurn(trialPresentation(request), events, signal, this.#canvases, this.#options.log);
  }

  async showReplies(): Promise<void> {
    const place = this.#opened();
    const spot = deliverIn(this.#patientApi, place);
    await showReply(
      {
        isPrivate: false,
        blocks: [
          { type: 'text', text: `It is ${momentMark(Date.now())}.` },
          { type: 'table', header: ['sage', 'place'], rows: [['Ada', '1']] },
          { type: 'choices', choices: [{ label: 'Sages', command: 'sages' }] },
        ],
      },
      spot,
    );
    const { channel, team } = place;
    if (this.#person.id !== this.#known().botUserId) {
      const alone = plainMessage('Seen by you alone; it goes when you reload.');
      await postEphemeral(this.#patientApi, { team, channel }, this.#person.id, alone);
    }
  }

  /** Slack posts a file some moments after it was given. */
  async openFile(signal: AbortSignal): Promise<OpenedFile> {
    const place = this.#opened();
    const { team, channel, thread } = place;
    const { botToken: token, apiUrl, retryWaitsMs = briefWaitsMs } = this.#options;
    const { name, text: content } = trialFile;
    await uploadFiles(this.#patientApi, place, [{ name, content }]);
    for (const waitMs of [0, ...retryWaitsMs]) {
      await backOff(waitMs, signal);
      const args = { channel, ts: thread, limit: 200 };
      const answer = await this.#patientApi.call(team, 'conversations.replies', args);
      const { messages } = repliesSchema.parse(answer);
      const [source] = messages.flatMap(({ files }) => filesIn(files));
      if (source?.status === 'pointed') {
        return openAttached(source.address, { token, apiUrl }, signal);
      }
    }
    return { status: 'withheld', why: 'Slack shows no message with it' };
  }

  async readBack(): Promise<string> {
    const place = this.#opened();
    const all = this.#cleanup.of('Message');
    const { length: posted } = all;
    const there = new Set((await this.#own(place)).map(({ ts }) => ts));
    const missing = all.filter((ts) => !there.has(ts)).length;
    if (missing > 0) throw new Error(`${missing} of ${posted} messages are not in the thread.`);
    const { messages } = z.object({ messages: z.array(z.unknown()) }).parse(
      await this.#patientApi.call(place.team, 'conversations.replies', {
        ...{ channel: place.channel, ts: place.thread, limit: 200 },
      }),
    );
    const isDate = messages.some((message) => JSON.stringify(message).includes('"type":"date"'));
    const date = isDate
      ? 'Slack made a date of the moment'
      : 'Slack gave the moment back as it was written, so look whether people see a date';
    return `all ${posted} messages are there; ${date}`;
  }

  async clear(): Promise<Cleared> {
    const place = this.#place;
    if (!place) return { left: [], forPeople: [] };
    const look = async () => {
      for (const { ts } of await this.#own(place)) this.#keep(ts);
    };
    return { left: await this.#cleanup.clear(look), forPeople: [] };
  }

  #keep(ts: string): void {
    this.#cleanup.add('Message', ts, async () => {
      const place = this.#opened();
      const { team, channel } = place;
      // Slack has closed it meanwhile, perhaps.
      const end = () => stopStream(this.#patientApi, place, ts, { markdown: '' });
      if (this.#growing.has(ts)) await unlessRefused(end);
      await this.#patientApi.call(team, 'chat.delete', { channel, ts }).catch((error: unknown) => {
        if (!isRefusal(error, 'message_not_found')) throw error;
      });
    });
  }

  fixFor(error: unknown): string | undefined {
    return fixFor(error, this.#options.channel);
  }

  /** Notes all calls. One that was begun is carried out although the trial ends, so that it is known. */
  #noted(api: SlackApi): SlackApi {
    return {
      call: (team, method, args, signal) => {
        const refusal = refusalOf(method, args, this.notes.refusing);
        if (refusal) return Promise.reject(refusal);
        const made = this.notes.note(method, args, async () => {
          const answer = await api.call(team, method, args);
          if (method === 'chat.delete') this.#cleanup.drop(`${args.ts}`);
          if (method === 'files.uploadV2') {
            const { files } = uploadedSchema.parse(answer);
            for (const { id: file } of files.flatMap((one) => one.files)) {
              const remove = () => this.#patientApi.call(team, 'files.delete', { file });
              this.#cleanup.add('File', file, remove);
            }
          }
          if (method === 'chat.stopStream') this.#growing.delete(`${args.ts}`);
          if (method === 'chat.postMessage' || method === 'chat.startStream') {
            const { ts } = z.object({ ts: z.string() }).parse(answer);
            this.#keep(ts);
            if (method === 'chat.startStream') this.#growing.add(ts);
          }
          return answer;
        });
        return signal ? within(made, { signal }) : made;
      },
    };
  }

  async #findPerson(): Promise<string | undefined> {
    const { team, channel } = this.#opened();
    try {
      const answer = await this.#patientApi.call(team, 'conversations.members', { channel });
      const { members } = z.object({ members: z.array(z.string()) }).parse(answer);
      for (const member of members) {
        if (!(await readUser(this.#patientApi, team, member)).isBot) return member;
      }
    } catch (error) {
      if (!(error instanceof SlackRefusal)) throw error;
    }
    return undefined;
  }

  async #own(place: SlackPlace) {
    const said = await readReplies(this.#patientApi, place, place.thread);
    return said.filter(({ botId }) => botId === this.#known().botId);
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
