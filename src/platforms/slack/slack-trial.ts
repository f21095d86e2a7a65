/** Posts everything that the bot can show to a real Slack channel, as a test; see `chat/live/trial.ts`. */

import { z } from 'zod';
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
import { endStream } from './api/streams.ts';
import { readIdentity, type SlackIdentity, scopeGaps } from './connection/identity.ts';
import { showEverybody } from './ingress/answers.ts';
import { plainMessage } from './ingress/reply-messages.ts';
import { addressOf, eventIdOf, momentOf, placeOf, type SlackPlace } from './place.ts';
import { afterTurn } from './presenter/after-turn.ts';
import { slackCanvases } from './presenter/slack-canvas.ts';
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

export function slackTrial(options: SlackTrialOptions): TriedPlatform {
  const { botToken, apiUrl, log, channel, retryWaitsMs = briefWaitsMs } = options;
  const record = new TrialRecord();
  const unrecorded = createSlackApi({ tokenOf: () => botToken, apiUrl, timeoutMs });
  /** Records all calls. A started call is awaited even if the trial ends, so its message can be deleted. */
  const api: SlackApi = {
    call: (team, method, args, signal) => {
      const refusal = refusalOf(method, args, record.refusing);
      if (refusal) return Promise.reject(refusal);
      const made = record.call(method, args, async () => {
        const answer = await unrecorded.call(team, method, args);
        keepTrack(method, 'ts' in args ? `${args.ts}` : '', answer);
        return answer;
      });
      return signal ? within(made, { signal }) : made;
    },
  };
  const patientApi = withRetries(withRetryAfter(api), retryWaitsMs);
  const pacer = createPacer(options.limits ?? slackLimits);
  const identityOf = async () => known();
  const canvases = slackCanvases({ api, log, retryWaitsMs, pacerOf: () => pacer, identityOf });
  /** Messages whose stream is open. */
  const growing = new Set<string>();
  let identity: SlackIdentity | undefined;
  let place: SlackPlace | undefined;
  /** The person who asks: a member of the channel, otherwise the bot itself. */
  let author = { id: '', name: 'the council’s operator' };

  function known(): SlackIdentity {
    if (!identity) throw new Error('Slack was not asked yet who the bot is.');
    return identity;
  }

  function opened(): SlackPlace {
    if (!place) throw new Error('Nothing was posted yet.');
    return place;
  }

  /** Records what a call has created or deleted. */
  function keepTrack(method: string, changed: string, answer: unknown): void {
    if (method === 'chat.delete') record.gone(changed);
    if (method === 'chat.stopStream') growing.delete(changed);
    if (method === 'chat.postMessage' || method === 'chat.startStream') {
      const { ts } = postedSchema.parse(answer);
      keep(ts);
      if (method === 'chat.startStream') growing.add(ts);
    }
    if (method !== 'files.uploadV2') return;
    for (const { id: file } of uploadedSchema.parse(answer).files.flatMap(({ files }) => files)) {
      record.made('File', file, () => patientApi.call(anyTeam, 'files.delete', { file }));
    }
  }

  function keep(ts: string): void {
    record.made('Message', ts, async () => {
      const { team } = opened();
      if (growing.has(ts)) await unlessRefused(() => endStream(patientApi, opened(), ts));
      await patientApi.call(team, 'chat.delete', { channel, ts }).catch((error: unknown) => {
        if (!isRefusal(error, 'message_not_found')) throw error;
      });
    });
  }

  async function findPerson(team: string): Promise<string | undefined> {
    return unlessRefused(async () => {
      const answer = await patientApi.call(team, 'conversations.members', { channel });
      const { members } = z.object({ members: z.array(z.string()) }).parse(answer);
      for (const member of members) {
        if (!(await readUser(patientApi, team, member)).isBot) return member;
      }
      return undefined;
    });
  }

  /** Reads the thread; a trial never posts more than one page. */
  async function replies() {
    const { team, thread: ts } = opened();
    const args = { channel, ts, limit: 200 };
    const answer = await patientApi.call(team, 'conversations.replies', args);
    return repliesSchema.parse(answer).messages;
  }

  async function look(): ReturnType<TriedPlatform['look']> {
    const own = (await replies()).filter(({ bot_id }) => bot_id === known().botId);
    for (const { ts } of own) keep(ts);
    const seen = JSON.stringify(own).includes('"type":"date"')
      ? 'Slack made a date of the moment'
      : 'Slack returned the moment as it was written, so check that people see a date';
    return { ids: new Set(own.map(({ ts }) => ts)), seen };
  }

  return {
    subjects,
    record,
    egress: {
      present: (turn, events, signal) => presentTurn(turn, events, signal, canvases, log),
      ...afterTurn({ api, log, identityOf }),
    },

    async begin() {
      identity = await readIdentity(patientApi, anyTeam);
      const { team, teamName, botUserId, scopes } = identity;
      const spot = { team, channel };
      const mark = { turnId: crypto.randomUUID(), part: 'trial' };
      const opening = { ...plainMessage(openingWords), mark };
      const find = () => findMarked(patientApi, spot, mark, sinceAsked(Date.now()));
      place = { ...spot, thread: await postOnce(api, spot, opening, retryWaitsMs, find) };
      author = { ...author, id: (await findPerson(team)) ?? botUserId };
      const lacking = scopeGaps(teamName, scopes)
        .map(({ scope, lost }) => `${scope} (${lost})`)
        .join('; ');
      const watch = `Watch ${addressOf(placeOf(place).threadId)}`;
      const lines = [
        `The token is good for ${teamName}.`,
        lacking && `It lacks ${lacking}.`,
        watch,
      ];
      return lines.filter(Boolean).join(' ');
    },

    async ask(question) {
      const { thread } = opened();
      return {
        turnId: crypto.randomUUID(),
        threadId: placeOf(opened()).threadId,
        eventId: eventIdOf(channel, thread),
        question,
        author,
        askedAt: momentOf(thread),
      };
    },

    async showReplies() {
      await showEverybody(patientApi, opened(), trialReply());
      if (author.id === known().botUserId) return;
      const alone = plainMessage('Seen by you alone; it goes when you reload.');
      await postEphemeral(patientApi, { team: opened().team, channel }, author.id, alone);
    },

    /** Slack posts a file some moments after its upload. */
    async openFile(signal) {
      const { name, text: content } = trialFile;
      await uploadFiles(patientApi, opened(), [{ name, data: Buffer.from(content) }]);
      for (const waitMs of [0, ...retryWaitsMs]) {
        await backOff(waitMs, signal);
        const [source] = (await replies()).flatMap(({ files }) => filesIn(files));
        if (source?.status === 'pointed') {
          return openAttachment(source.address, { token: botToken, apiUrl }, signal);
        }
      }
      return { status: 'withheld', why: 'Slack shows no message with the file' };
    },

    look,
    clear: async () => ({ left: place ? await record.clear(look) : [] }),
    fixFor: (error) => (error instanceof SlackRefusal ? fixes[error.code]?.(channel) : undefined),
  };
}
