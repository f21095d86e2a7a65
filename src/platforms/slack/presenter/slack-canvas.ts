/** Shows turns in Slack: an edited progress message, a status line, and answers that are streamed where Slack allows it. */

import { z } from 'zod';
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
import { openDirect, post, postEphemeral } from '../api/messages.ts';
import { whileHeld, withEnd, withRetries, withRetryAfter } from '../api/patience.ts';
import type { SlackApi } from '../api/slack-api.ts';
import type { Scope, SlackIdentity } from '../connection/identity.ts';
import { beginsDirect, eventIdOf, hasChannel, isDirect, readThreadId } from '../place.ts';
import { SlackRefusal } from '../slack-error.ts';
import { escapeSlackText, inertSlackMarkdown } from '../slack-text.ts';
import { mention, paragraphs, words } from './blocks.ts';
import type { Voice } from './growing-message.ts';
import { personasOf, sageVoice, verdictVoice } from './persona.ts';
import { ProgressMessage } from './progress-message.ts';
import { entitle, StatusLine } from './status-line.ts';
import { StreamedText } from './streamed-text.ts';
import { roundMessage, verdictParts } from './turn-messages.ts';
import { type TurnContext, TurnPoster } from './turn-poster.ts';

export interface SlackCanvasesOptions {
  readonly api: SlackApi;
  /** Returns a workspace's own pacer. */
  readonly pacerOf: (team: string) => Pacer;
  readonly log: Log;
  readonly identityOf: (team: string) => Promise<Pick<SlackIdentity, 'botId' | 'scopes'>>;
  /** The app lacks the scope for the sages' own names in this workspace. */
  readonly onNoPersonas: (team: string) => void;
  /** Waits before each retry of an unanswered call. */
  readonly retryWaitsMs: readonly number[];
}

const personaScope: Scope = 'chat:write.customize';
const noPersonasNote = `The sages speak through the bot here, because it lacks the scope ${personaScope}.`;
const longestReason = 300;

export class SlackCanvases implements Canvases {
  readonly platform = 'Slack';
  /** None: retries already wait long enough, and look for the post first. */
  readonly outageWaitsMs = [];
  readonly personasOf = personasOf;
  readonly backOff = backOff;
  readonly #options: SlackCanvasesOptions;

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
    // Without the turn's signal, which would also end the deletion of late posts.
    const late = latePosts({
      ...{ api: withRetryAfter(this.#options.api), turnId, log },
      botId: async () => (await identityOf(team)).botId,
      settle: () => backOff(retryWaitsMs[0] ?? 0),
    });
    const api = whileHeld(withEnd(this.#options.api, signal), turn, late);
    const status = new StatusLine(api, place, log);
    const patientApi = withRetries(api, retryWaitsMs, signal);
    const lookingApi = withEnd(withRetryAfter(patientApi), signal);
    const [{ botId, scopes }, note] = await Promise.all([
      within(identityOf(team), { signal }),
      noteOf(turn),
    ]);
    // If Slack does not name the scopes, try.
    const hasPersonas = scopes?.includes(personaScope) ?? true;
    const notes = [...askedNotes(turn), note, ...(hasPersonas ? [] : [noPersonasNote])];
    const context = {
      ...{ turnId, place, askedAt, botId, hasPersonas, retryWaitsMs, signal },
      ...{ api, patientApi, lookingApi, pacer, posts, log },
      onNoPersonas: () => onNoPersonas(team),
      recipient: isDirect(channel)
        ? undefined
        : { recipient_user_id: author.id, recipient_team_id: author.workspace ?? team },
    };
    const poster = new TurnPoster(context);
    if (turn.isResumed) await poster.recall();
    const message = await ProgressMessage.open({ ...first, notes }, context, poster);
    if (!turn.isAlreadyShown) status.show(first.progress, first.personas);
    if (!turn.isResumed && beginsDirect(turn.request)) void entitle(lookingApi, turn.request, log);
    if (!hasPersonas) context.onNoPersonas();
    return new SlackCanvas({ notes, context, poster, status, message });
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
    // In the channel, because a thread without replies does not show ephemeral messages.
    const ephemeral = () => postEphemeral(api, { team, channel }, id, said).then(() => true);
    if (!isDirect(channel) && (await unlessRefused(ephemeral))) return;
    await post(api, { team, channel: await openDirect(api, team, id) }, said);
  }
}

/** The parts of a turn's canvas. */
interface Parts {
  readonly notes: readonly string[];
  readonly context: TurnContext;
  readonly poster: TurnPoster;
  readonly status: StatusLine;
  readonly message: ProgressMessage;
}

class SlackCanvas implements Canvas {
  readonly grows = true;
  readonly notes: readonly string[];
  readonly #parts: Parts;
  readonly #texts = new Map<string, StreamedText>();
  #shown = notBegun;
  #verdictUrl: string | undefined;

  constructor(parts: Parts) {
    this.notes = parts.notes;
    this.#parts = parts;
  }

  progress(turn: ShownTurn): void {
    const { progress, personas } = turn;
    const isNews = progress.seats !== this.#shown.seats || progress.stage !== this.#shown.stage;
    this.#shown = progress;
    if (isNews) this.#parts.status.show(progress, personas);
    this.#parts.message.show(turn);
  }

  grow(speaker: Speaker, text: string): void {
    this.#textOf(speaker).grow(text);
  }

  /** Rankings and ends are not posted: they are part of the verdict and the progress message. */
  async say(part: Part, turn: ShownTurn): Promise<void> {
    if (part.kind === 'answer') await this.#sayAnswer(part);
    if (part.kind === 'round') {
      await this.#parts.poster.post(`round ${part.index}`, roundMessage(part, turn.personas));
    }
    if (part.kind === 'verdict') await this.#sayVerdict(turn, part);
    // Direct messages notify people anyway.
    if (part.kind === 'ping' && !isDirect(this.#parts.context.place.channel)) {
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
    const streamed = known ?? new StreamedText(voice, this.#parts.context, this.#parts.poster);
    this.#texts.set(voice.part, streamed);
    return streamed;
  }

  #voiceOf(speaker: Speaker): Voice {
    if (speaker.kind === 'verdict') return verdictVoice;
    return sageVoice(speaker.sage, speaker.persona, this.#parts.context.hasPersonas);
  }

  async #sayAnswer({ text, cutShort, isOnlyEnding, ...speaker }: AnswerPart): Promise<void> {
    const streamed = this.#textOf(speaker);
    const note = cutShort && noteFor(cutShort);
    if (isOnlyEnding) return streamed.breakOff(note ?? '', text);
    await streamed.end(this.#voiceOf(speaker).pieces(text ?? '', note));
  }

  async #sayVerdict(
    { turnId, progress, reviews, personas }: ShownTurn,
    { verdict, cutShort }: VerdictPart,
  ): Promise<void> {
    const streamed = this.#textOf({ kind: 'verdict' });
    if (!verdict) return streamed.breakOff(cutShort ? noteFor(cutShort) : '');
    const { ranked, docket } = progress;
    const concluded = { seats: progress.seats, verdict };
    const offers = offersBelow(concluded, hasChannel(this.#parts.context.place));
    const shown = { turnId, verdict, docket, ranked, reviews, personas, offers };
    const { pieces, below } = verdictParts(shown);
    const ts = await streamed.end(pieces, below);
    if (ts !== undefined) this.#verdictUrl = await this.#addressOf(ts);
  }

  async #addressOf(ts: string): Promise<string | undefined> {
    const { lookingApi, place, turnId, log } = this.#parts.context;
    const { team, channel } = place;
    const args = { channel, message_ts: ts };
    try {
      return permalinkSchema.parse(await lookingApi.call(team, 'chat.getPermalink', args))
        .permalink;
    } catch (error) {
      log.info({ turnId, error }, 'the address of a verdict is unknown');
      return undefined;
    }
  }
}

const permalinkSchema = z.object({ permalink: z.string() });

/** Says as Markdown why an answer was cut short. */
function noteFor({ words, reason }: CutShort): string {
  const why =
    reason === undefined ? '' : ` ${inertSlackMarkdown(shortName(reason, longestReason))}`;
  return `_${words}_${why}`;
}

/** Quotes a question that was picked below a verdict, because it has no post of its own. */
function askedNotes({ request }: PresentedTurn): readonly string[] {
  const asked = askedBelow(request);
  return asked === undefined ? [] : [asked, `“${shortName(request.question, longestReason)}”`];
}

/** Says how to ask a follow-up here, for the progress message. */
async function noteOf({ request, followUpMode: mode, wasAsked }: PresentedTurn): Promise<string> {
  const { channel, thread } = readThreadId(request.threadId);
  const isHeard = mode !== 'mention' && (await wasAsked(eventIdOf(channel, thread)));
  const where = isDirect(channel) ? 'direct message' : isHeard ? 'thread' : 'elsewhere';
  return followUpNote({ where, mode, canReply: false });
}
