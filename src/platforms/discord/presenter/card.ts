/** The card of a turn: who sits, what they are doing, and in the end the verdict in short. */

import { ButtonStyle } from 'discord.js';
import type { Seat, TurnEnd } from '../../../council/events.ts';
import { takenBackWords } from '../../chat/asking/asking-words.ts';
import { progressSentence, seatMark, seatWords } from '../../chat/show/progress-words.ts';
import { seatState, type TurnProgress } from '../../chat/show/turn-progress.ts';
import { excerpt } from '../../chat/text/split-markdown.ts';
import { firstCharacters } from '../../chat/text/visible-text.ts';
import { discordMarkdown, inertDiscordText } from '../text/discord-text.ts';
import {
  button,
  buttonRow,
  type Component,
  container,
  linkButton,
  separator,
  textPart,
} from './components.ts';
import type { Persona } from './persona.ts';
import { nameOf, oneLine } from './verdict-text.ts';

/** Everything that a card shows of a turn. */
export interface CardState {
  readonly turnId: string;
  readonly question: string;
  readonly progress: TurnProgress;
  readonly personas: ReadonlyMap<string, Persona>;
  /** Address of what the card leads to; absent while there is nothing. */
  readonly link: string | undefined;
  /** Small print, e.g. how a follow-up is asked. */
  readonly notes: readonly string[];
}

/** All the text of a card, its quote marks included, has to fit into the 4,000 characters of a message. */
const longest = { question: 1000, outcome: 2400, notes: 500 } as const;
const longestQuestion = 900;
const longestVerdict = 1200;
const longestReason = 300;

/**
 * The card before its turn has begun, which may take a while when many are held at once.
 *
 * @param mark - By which the card is found again.
 */
export function firstCard(
  state: Pick<CardState, 'turnId' | 'question'>,
  mark: number,
): readonly Component[] {
  const text = `${quoted(state.question)}\n\n⏳ Taken. The council is about to be seated.`;
  return [container([textPart(text, mark), ...buttonRow([stopButton(state)])])];
}

/** In place of a card whose turn could not begin. */
export function failedCard(question: string, mark: number, why: string): readonly Component[] {
  const text = `${quoted(question)}\n\n⚠️ ${excerpt(oneLine(why), longest.outcome)}`;
  return [container([textPart(text, mark)])];
}

/** In place of the card of a question that was taken back. */
export function emptiedCard(mark: number): readonly Component[] {
  return [container([textPart(takenBackWords, mark)])];
}

/** @param mark - By which the card is found again. */
export function cardOf(state: CardState, mark: number): readonly Component[] {
  const { end } = state.progress;
  const notes = excerpt(state.notes.map((note) => `-# ${note}`).join('\n'), longest.notes);
  return [
    container([
      textPart(quoted(state.question), mark),
      separator(),
      textPart(excerpt(end ? outcomeText(state, end) : progressText(state), longest.outcome)),
      ...(notes === '' ? [] : [textPart(notes)]),
      ...buttonRow(end ? endButtons(state) : [stopButton(state)]),
    ]),
  ];
}

function progressText({ progress, personas }: CardState): string {
  const lines = progress.seats.map(({ sage }) => {
    const state = seatState(progress, sage.key);
    return `${seatMark(state)} **${nameOf(sage.key, personas)}** ${seatWords(state)}`;
  });
  return [...lines, `⏳ ${progressSentence(progress, nameIn(personas))}`].join('\n');
}

function nameIn(personas: ReadonlyMap<string, Persona>): (seat: Seat) => string {
  return ({ sage }) => nameOf(sage.key, personas);
}

function outcomeText(state: CardState, { outcome, explanation }: TurnEnd): string {
  const { progress, personas } = state;
  const sentence = progressSentence(progress, nameIn(personas));
  const told = progress.seats.map(({ sage }) => {
    const seat = seatState(progress, sage.key);
    const why =
      seat.doing === 'failed'
        ? ` (${firstCharacters(oneLine(seat.explanation), longestReason)})`
        : '';
    return `${nameOf(sage.key, personas)} ${seatWords(seat)}${why}`;
  });
  const names = told.length === 0 ? [] : [`-# ${told.join(' · ')}`];
  // That it was stopped is said by then.
  if (outcome === 'stopped') return [`**${sentence}**`, ...names].join('\n');
  if (outcome !== 'answered') {
    return [
      `**${sentence}** ${firstCharacters(oneLine(explanation), longestVerdict)}`.trim(),
      ...names,
    ].join('\n');
  }
  return [...verdictInShort(progress), ...names].join('\n') || sentence;
}

function verdictInShort({ verdict }: TurnProgress): readonly string[] {
  if (!verdict) return [];
  return [
    verdict.kind === 'synthesis' ? '**Verdict**' : '**Top-ranked answer, not a verdict**',
    excerpt(discordMarkdown(verdict.verdict), longestVerdict),
    ...(verdict.confidence ? [`-# Confidence: ${verdict.confidence}`] : []),
  ];
}

function endButtons({ link }: CardState) {
  return link === undefined ? [] : [linkButton('Read the whole council', link)];
}

function stopButton({ turnId }: Pick<CardState, 'turnId'>) {
  return button('Stop', { kind: 'stop', turnId }, ButtonStyle.Danger);
}

function quoted(question: string): string {
  const text = excerpt(inertDiscordText(question), longestQuestion);
  return text === '' ? '> …' : excerpt(text.replace(/^/gm, '> '), longest.question);
}
