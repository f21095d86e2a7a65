/** Shows turns in Slack: a message of the progress that is edited, a status, and what is said, streamed where that goes. */

import type { Log } from '../../../domain/log.ts';
import { within } from '../../../waiting.ts';
import { followUpNote } from '../../chat/asking/asking-words.ts';
import { askedBelow, offersBelow } from '../../chat/asking/turn-actions.ts';
import { backOff } from '../../chat/pacing/back-off.ts';
import type { Pacer } from '../../chat/pacing/pacer.ts';
import { unlessRefused } from '../../chat/pacing/platform-error.ts';
import type {
  AnswerPart,
  Canvas,
  Canvases,
  CutShort,
  Part,
  ShownTurn,
  Speaker,
  VerdictPart,
} from '../../chat/show/canvas.ts';
import type { TurnPosts } from '../../chat/show/turn-posts.ts';
import { notBegun } from '../../chat/show/turn-progress.ts';
import { shortName } from '../../chat/text/visible-text.ts';
import type { PresentedTurn } from '../../platform.ts';
import { latePosts } from '../api/late-posts.ts';
import { openDirect, permalinkOf, post, postEphemeral } from '../api/messages.ts';
import { whenSaying, whileHeld, withEnd, withRepetition, withRetryAfter } from '../api/patience.ts';
import type { SlackApi } from '../api/slack-api.ts';
import { beginsDirect, eventIdOf, isDirect } from '../ingress/scene.ts';
import type { Scope } from '../permissions.ts';
import { SlackRefusal } from '../slack-error.ts';
import { escapeSlackText, inertSlackMarkdown } from '../slack-text.ts';
import { hasChannel, readThreadId } from '../thread-id.ts';
import { mention, paragraphs, words } from './blocks.ts';
import { personasOf } from './persona.ts';
import { type Plans, ProgressMessage } from './progress-message.ts';
import { entitle, StatusLine } from './status-line.ts';
import { StreamedText, type Voice } from './streamed-text.ts';
import { roundMessage, verdictParts } from './turn-messages.ts';
import { TurnPoster, type TurnSurroundings } from './turn-poster.ts';
import { sageVoice, verdictVoice } from './voices.ts';

/** What has to be known of the app in a workspace. */
export interface OwnIdentity {
  /** `B…`: by which its messages are known, also those under a sage's name. */
  readonly botId: string;
  /** What it was granted; absent where Slack does not say. */
  readonly scopes: readonly string[] | undefined;
}

export interface SlackCanvasesOptions {
  readonly api: SlackApi;
  /** Each workspace has one of its own. */
  readonly pacerOf: (team: string) => Pacer;
  readonly log: Log;
  readonly identityOf: (team: string) => Promise<OwnIdentity>;
  /** Sages speak through the bot here, because it lacks the scope for names of their own. */
  readonly onNoPersonas: (team: string, channel: string) => void;
  /** Waits before each further try of what nothing is answered to. */
  readonly retryWaitsMs: readonly number[];
}

const personaScope: Scope = 'chat:write.customize';
const noPersonasNote = `The sages speak through the bot here, because it lacks the scope ${personaScope}.`;
const longestReason = 300;

export class SlackCanvases implements Canvases {
  readonly platform = 'Slack';
  /** What is tried again waits long enough by itself, and looks before each try. */
  readonly outageWaitsMs = [];
  readonly personasOf = personasOf;
  readonly backOff = backOff;
  readonly #options: SlackCanvasesOptions;
  readonly #plans: Plans = { areTaken: true };

  constructor(options: SlackCanvasesOptions) {
    this.#options = options;
  }

  async open(
    turn: PresentedTurn,
    first: ShownTurn,
    posts: TurnPosts,
    signal: AbortSignal,
  ): Promise<Canvas> {
    const { log, retryWaitsMs, identityOf, onNoPersonas } = this.#options;
    const { turnId, threadId, askedAt, author } = turn.request;
    const place = readThreadId(threadId);
    const { team, channel } = place;
    const pacer = this.#options.pacerOf(team);
    // With the signal of the turn nothing could be taken back.
    const late = latePosts({
      ...{ api: withRetryAfter(this.#options.api), turnId, log },
      botId: async () => (await identityOf(team)).botId,
      settle: () => backOff(retryWaitsMs[0] ?? 0),
    });
    const ownApi = whileHeld(withEnd(this.#options.api, signal), turn, late);
    const status = new StatusLine(ownApi, place, log);
    const api = whenSaying(ownApi, () => status.saying());
    const patientApi = withRepetition(api, retryWaitsMs, signal);
    const lookingApi = withEnd(withRetryAfter(patientApi), signal);
    const [{ botId, scopes }, note] = await Promise.all([
      within(identityOf(team), { signal }),
      noteOf(turn),
    ]);
    // Where Slack does not say, it is tried.
    const hasPersonas = scopes?.includes(personaScope) ?? true;
    const notes = [...askedNotes(turn), note, ...(hasPersonas ? [] : [noPersonasNote])];
    const around = {
      ...{ turnId, place, askedAt, botId, hasPersonas, retryWaitsMs, signal },
      ...{ api, patientApi, lookingApi, pacer, posts, log },
      onNoPersonas: () => onNoPersonas(team, channel),
      recipient: isDirect(channel)
        ? undefined
        : { recipient_user_id: author.id, recipient_team_id: author.workspace ?? team },
    };
    const poster = new TurnPoster(around);
    if (turn.isResumed) await poster.recall();
    const message = await ProgressMessage.open({ ...first, notes }, around, poster, this.#plans);
    if (!turn.isAlreadyShown) status.show(first.progress, first.personas);
    if (!turn.isResumed && beginsDirect(turn.request)) void entitle(lookingApi, turn.request, log);
    if (!hasPersonas) around.onNoPersonas();
    return new SlackCanvas({ notes, around, poster, status, message });
  }

  async explainToAsker(
    { request }: PresentedTurn,
    why: string,
    _refusal: Error,
    signal: AbortSignal,
  ): Promise<void> {
    const api = withEnd(withRetryAfter(this.#options.api), signal);
    const { team, channel } = readThreadId(request.threadId);
    const { id } = request.author;
    const said = { text: escapeSlackText(why), blocks: [] };
    // A thread without answers shows no such message.
    const alone = () => postEphemeral(api, { team, channel }, id, said).then(() => true);
    if (!isDirect(channel) && (await unlessRefused(alone))) return;
    await post(api, { team, channel: await openDirect(api, team, id) }, said);
  }
}

/** What a turn is shown by. */
interface Parts {
  readonly notes: readonly string[];
  readonly around: TurnSurroundings;
  readonly poster: TurnPoster;
  readonly status: StatusLine;
  readonly message: ProgressMessage;
}

class SlackCanvas implements Canvas {
  readonly grows = true;
  readonly notes: readonly string[];
  readonly #parts: Parts;
  readonly #texts = new Map<string, StreamedText>();
  #told = notBegun;
  #verdictUrl: string | undefined;

  constructor(parts: Parts) {
    this.notes = parts.notes;
    this.#parts = parts;
  }

  progress(turn: ShownTurn): void {
    const { progress, personas } = turn;
    const isNews = progress.seats !== this.#told.seats || progress.stage !== this.#told.stage;
    this.#told = progress;
    if (isNews) this.#parts.status.show(progress, personas);
    this.#parts.message.show(turn);
  }

  grow(speaker: Speaker, text: string): void {
    this.#textOf(speaker).grow(text);
  }

  /** The ranking stands below the verdict, and where there is none in the progress, as the end does. */
  async say(part: Part, turn: ShownTurn): Promise<void> {
    if (part.kind === 'answer') await this.#sayAnswer(part);
    if (part.kind === 'round') {
      await this.#parts.poster.post(`round ${part.index}`, roundMessage(part, turn.personas));
    }
    if (part.kind === 'verdict') await this.#sayVerdict(turn, part);
    // A direct message rings by itself.
    if (part.kind === 'ping' && !isDirect(this.#parts.around.place.channel)) {
      const { personId, words: why } = part;
      const blocks = [paragraphs([mention(personId), words(` ${why}`)])];
      await this.#parts.poster.post('ping', { text: why, blocks });
    }
  }

  async finish(turn: ShownTurn): Promise<void> {
    try {
      await this.#parts.message.finish(turn, this.#verdictUrl);
    } catch (error) {
      if (error instanceof SlackRefusal) await this.#parts.status.clear();
      throw error;
    }
    await this.#parts.status.clear();
  }

  #textOf(speaker: Speaker): StreamedText {
    const voice = this.#voiceOf(speaker);
    const known = this.#texts.get(voice.part);
    const streamed = known ?? new StreamedText(voice, this.#parts.around, this.#parts.poster);
    this.#texts.set(voice.part, streamed);
    return streamed;
  }

  #voiceOf(speaker: Speaker): Voice {
    if (speaker.kind === 'verdict') return verdictVoice;
    return sageVoice(speaker.sage, speaker.persona, this.#parts.around.hasPersonas);
  }

  async #sayAnswer({ text, cutShort, isOnlyEnding, ...speaker }: AnswerPart): Promise<void> {
    const streamed = this.#textOf(speaker);
    const note = cutShort && noteFor(cutShort);
    if (isOnlyEnding) return streamed.breakOff(note ?? '', text);
    await streamed.end(this.#voiceOf(speaker).pieces(text ?? '', note));
  }

  /** Below all that was said before. */
  async #sayVerdict(
    { turnId, progress, reviews, personas }: ShownTurn,
    { verdict, cutShort }: VerdictPart,
  ): Promise<void> {
    const streamed = this.#textOf({ kind: 'verdict' });
    if (!verdict) return streamed.breakOff(cutShort ? noteFor(cutShort) : '');
    const { ranked, docket } = progress;
    const told = { seats: progress.seats, verdict };
    const offers = offersBelow(told, hasChannel(this.#parts.around.place));
    const shown = { turnId, verdict, docket, ranked, reviews, personas, offers };
    const { pieces, below } = verdictParts(shown);
    const ts = await streamed.end(pieces, below);
    if (ts !== undefined) this.#verdictUrl = await this.#addressOf(ts);
  }

  async #addressOf(ts: string): Promise<string | undefined> {
    const { lookingApi, place, turnId, log } = this.#parts.around;
    try {
      return await permalinkOf(lookingApi, place, ts);
    } catch (error) {
      log.info({ turnId, error }, 'the address of a verdict is unknown');
      return undefined;
    }
  }
}

/** Why there is no more of what was begun, as Markdown. */
function noteFor({ words, reason }: CutShort): string {
  const why =
    reason === undefined ? '' : ` ${inertSlackMarkdown(shortName(reason, longestReason))}`;
  return `_${words}_${why}`;
}

/** A question that was picked below a verdict has no post of its own. */
function askedNotes({ request }: PresentedTurn): readonly string[] {
  const asked = askedBelow(request);
  return asked === undefined ? [] : [asked, `“${shortName(request.question, longestReason)}”`];
}

/** For the progress message: which of the ways to ask a follow-up holds here. */
async function noteOf({ request, followUpMode: mode, wasAsked }: PresentedTurn): Promise<string> {
  const { channel, thread } = readThreadId(request.threadId);
  const isHeard = mode !== 'mention' && (await wasAsked(eventIdOf(channel, thread)));
  const where = isDirect(channel) ? 'direct message' : isHeard ? 'thread' : 'elsewhere';
  return followUpNote({ where, mode, canReply: false });
}
