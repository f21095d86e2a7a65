/** The card of a turn: the seats and their progress, then the verdict in short. */

import { ButtonStyle } from 'discord.js';
import type { TurnEnd } from '../../../council/events.ts';
import type { TurnWords } from '../../../domain/languages/english.ts';
import { turnWordsIn } from '../../../domain/languages/languages.ts';
import type { TurnRequest } from '../../../domain/turn.ts';
import { verdictTitle } from '../../../domain/turn-words.ts';
import { firstCharacters } from '../../../domain/words.ts';
import type { ShownTurn } from '../../chat/show/canvas.ts';
import {
  progressSentence,
  seatMarks,
  seatsInWords,
  seatWords,
} from '../../chat/show/progress-words.ts';
import { seatState, type TurnProgress } from '../../chat/show/turn-progress.ts';
import { certaintyLines } from '../../chat/show/verdict-words.ts';
import { excerpt, splitMarkdown } from '../../chat/text/split-markdown.ts';
import { isRefusal } from '../discord-error.ts';
import {
  discordMarkdown,
  hidesWords,
  inertDiscordLine,
  inertDiscordText,
} from '../discord-text.ts';
import type { DiscordRest } from '../rest/discord-rest.ts';
import { editMessage, type MessageBody } from '../rest/messages.ts';
import {
  accents,
  button,
  buttonRow,
  type Component,
  container,
  linkButton,
  plainPieces,
  separator,
  textPart,
} from './components.ts';
import { nameOf } from './persona.ts';
import { type CardPlace, cardMark } from './turn-marks.ts';

/** In characters. All text of a card, quote marks included, must fit into a message's 4,000. */
const longest = { question: 1000, outcome: 2400, notes: 500 } as const;
const longestVerdict = 1200;
const longestReason = 300;

type Asked = Pick<TurnRequest, 'turnId' | 'question' | 'language'>;

/** The card before the turn starts, which may take a while under load. */
export function openingCard(state: Asked): readonly Component[] {
  const words = turnWordsIn(state.language);
  const text = `${quoted(state.question)}\n\n⏳ ${words.seated}`;
  return [
    container(
      [textPart(text, cardMark(state.turnId)), ...buttonRow([stopButton(state.turnId, words)])],
      accents.working,
    ),
  ];
}

/** Edits a card. A card without components gets the text of the new ones. Throws as {@link editMessage} does. */
export async function editCard(
  rest: DiscordRest,
  { channelId, messageId, isPlain }: CardPlace,
  components: readonly Component[],
): Promise<void> {
  const edit = (body: MessageBody) => editMessage(rest, channelId, messageId, body);
  const [content = ''] = plainPieces(components);
  if (isPlain) return edit({ content });
  try {
    await edit({ components });
  } catch (error) {
    if (!isRefusal(error, 'invalidForm')) throw error;
    await edit({ content });
  }
}

/** The card of a turn that could not start. */
export function failedCard({ turnId, question }: Asked, why: string): readonly Component[] {
  const text = `${quoted(question)}\n\n⚠️ ${excerpt(inertDiscordLine(why), longest.outcome)}`;
  return [container([textPart(text, cardMark(turnId))], accents.failed)];
}

/** The card of a withdrawn question. */
export function withdrawnCard({ turnId, language }: Asked): readonly Component[] {
  return [container([textPart(turnWordsIn(language).withdrawn, cardMark(turnId))])];
}

/** A verdict as posted to the channel. @param link - URL of the thread. */
export function postedVerdict(
  { question, language }: Asked,
  concluded: Pick<TurnProgress, 'verdict' | 'ranked'>,
  mark: number,
  link: string,
): readonly Component[] {
  const words = turnWordsIn(language);
  const parts = [
    textPart(quoted(question), mark),
    separator(),
    textPart(verdictInShort(concluded, words).join('\n')),
    ...buttonRow([linkButton(words.readCouncil, link)]),
  ];
  return [container(parts, undefined, hidesWords(question))];
}

/** What a finished card depends on. */
export interface CardEnding {
  /** URL of its button; absent: no button. */
  readonly link: string | undefined;
  /** The answers are in another channel or thread, so the card sums them up. */
  readonly isApart: boolean;
  /** The answer may give away what the question hides. */
  readonly isSpoiler?: boolean;
}

/** The card during and after the turn. */
export function cardOf(state: ShownTurn, last?: CardEnding): readonly Component[] {
  const { turnId, question } = state;
  const text = excerpt(
    state.progress.end ? outcomeText(state, state.progress.end, last) : progressText(state),
    longest.outcome,
  );
  const notes = excerpt(state.notes.map((note) => `-# ${note}`).join('\n'), longest.notes);
  return [
    container(
      [
        ...(question === undefined
          ? [textPart(text, cardMark(turnId))]
          : [textPart(quoted(question), cardMark(turnId)), separator(), textPart(text)]),
        ...(notes === '' ? [] : [textPart(notes)]),
        ...buttonRow(
          state.progress.end ? endButtons(last, state.words) : [stopButton(turnId, state.words)],
        ),
      ],
      accentOf(state.progress),
      state.progress.verdict && last?.isApart && last.isSpoiler,
    ),
  ];
}

function accentOf({ end, verdict }: TurnProgress): number | undefined {
  if (!end) return accents.working;
  if (end.outcome === 'stopped') return undefined;
  if (end.outcome === 'failed') return accents.failed;
  return verdict?.kind === 'top_answer' ? accents.doubtful : accents.answered;
}

function progressText({ progress, personas, words }: ShownTurn): string {
  const lines = progress.seats.map(({ sage }) => {
    const state = seatState(progress, sage.key);
    return `${seatMarks[state.doing]} **${nameOf(sage.key, personas)}** ${seatWords(state, words)}`;
  });
  return [...lines, `⏳ ${progressSentence(progress, undefined, words)}`].join('\n');
}

function outcomeText(
  state: ShownTurn,
  { outcome, explanation }: TurnEnd,
  last: CardEnding | undefined,
): string {
  const { progress, personas, words } = state;
  const sentence = progressSentence(progress, undefined, words);
  const seats = seatsInWords(
    progress,
    (sage) => nameOf(sage, personas),
    (reason) => firstCharacters(inertDiscordLine(reason), longestReason),
    words,
  );
  const verdict = outcome === 'answered' && last?.isApart ? verdictInShort(progress, words) : [];
  // The sentence already says that it was answered or stopped.
  const why =
    outcome === 'failed' ? firstCharacters(inertDiscordLine(explanation), longestVerdict) : '';
  return [
    ...(verdict.length === 0 ? [`**${sentence}** ${why}`.trim()] : verdict),
    ...(seats === '' ? [] : [`-# ${seats}`]),
  ].join('\n');
}

function verdictInShort(
  { verdict, ranked }: Pick<TurnProgress, 'verdict' | 'ranked'>,
  words: TurnWords,
): readonly string[] {
  if (!verdict) return [];
  const { confidenceReason: _, ...short } = verdict;
  const certainty = certaintyLines(short, ranked, inertDiscordLine, words);
  return [
    `**${verdictTitle(verdict, words)}**`,
    excerpt(discordMarkdown(verdict.verdict), longestVerdict),
    ...(certainty.length === 0 ? [] : [`-# ${certainty.join(' · ')}`]),
  ];
}

function endButtons(last: CardEnding | undefined, words: TurnWords) {
  if (last?.link === undefined) return [];
  return [linkButton(last.isApart ? words.readCouncil : words.readVerdict, last.link)];
}

function stopButton(turnId: string, { stop }: TurnWords) {
  return button(stop, { kind: 'stop', turnId }, ButtonStyle.Danger);
}

/** Whether the card cuts the question short. */
export function isCutOnCard(question: string): boolean {
  return splitMarkdown(asQuote(question), longest.question).length > 1;
}

function quoted(question: string): string {
  return excerpt(asQuote(question), longest.question);
}

function asQuote(question: string): string {
  return (inertDiscordText(question).trim() || '…').replace(/^/gm, '> ');
}
