/** The card of a turn: who sits, what they are doing, and in the end the verdict in short. */

import { ButtonStyle } from 'discord.js';
import type { TurnEnd } from '../../../council/events.ts';
import type { Seat } from '../../../domain/turn.ts';
import { takenBackWords } from '../../chat/asking/asking-words.ts';
import type { ShownTurn } from '../../chat/show/canvas.ts';
import type { Personas } from '../../chat/show/personas.ts';
import {
  progressSentence,
  seatMark,
  seatsInWords,
  seatWords,
} from '../../chat/show/progress-words.ts';
import { seatState, type TurnProgress } from '../../chat/show/turn-progress.ts';
import { excerpt } from '../../chat/text/split-markdown.ts';
import { firstCharacters } from '../../chat/text/visible-text.ts';
import { discordMarkdown, inertDiscordLine, inertDiscordText } from '../text/discord-text.ts';
import {
  button,
  buttonRow,
  type Component,
  container,
  linkButton,
  separator,
  textPart,
} from './components.ts';
import { nameOf } from './persona.ts';
import { cardMark } from './turn-marks.ts';

/** All the text of a card, its quote marks included, has to fit into the 4,000 characters of a message. */
const longest = { question: 1000, outcome: 2400, notes: 500 } as const;
const longestQuestion = 900;
const longestVerdict = 1200;
const longestReason = 300;

/** The card before its turn has begun, which may take a while when many are held at once. */
export function firstCard(state: Pick<ShownTurn, 'turnId' | 'question'>): readonly Component[] {
  const text = `${quoted(state.question)}\n\n⏳ Taken. The council is about to be seated.`;
  return [container([textPart(text, cardMark(state.turnId)), ...buttonRow([stopButton(state)])])];
}

/** In place of a card whose turn could not begin. */
export function failedCard(
  { turnId, question }: Pick<ShownTurn, 'turnId' | 'question'>,
  why: string,
): readonly Component[] {
  const text = `${quoted(question)}\n\n⚠️ ${excerpt(inertDiscordLine(why), longest.outcome)}`;
  return [container([textPart(text, cardMark(turnId))])];
}

/** In place of the card of a question that was taken back. */
export function emptiedCard(turnId: string): readonly Component[] {
  return [container([textPart(takenBackWords, cardMark(turnId))])];
}

/**
 * The card while the turn is held, and when it has ended.
 *
 * @param link - Address of what the card leads to in the end; absent: nothing.
 */
export function cardOf(state: ShownTurn, link?: string): readonly Component[] {
  const { end } = state.progress;
  const notes = excerpt(state.notes.map((note) => `-# ${note}`).join('\n'), longest.notes);
  return [
    container([
      textPart(quoted(state.question), cardMark(state.turnId)),
      separator(),
      textPart(excerpt(end ? outcomeText(state, end) : progressText(state), longest.outcome)),
      ...(notes === '' ? [] : [textPart(notes)]),
      ...buttonRow(end ? endButtons(link) : [stopButton(state)]),
    ]),
  ];
}

function progressText({ progress, personas }: ShownTurn): string {
  const lines = progress.seats.map(({ sage }) => {
    const state = seatState(progress, sage.key);
    return `${seatMark(state)} **${nameOf(sage.key, personas)}** ${seatWords(state)}`;
  });
  return [...lines, `⏳ ${progressSentence(progress, nameIn(personas))}`].join('\n');
}

function nameIn(personas: Personas): (seat: Seat) => string {
  return ({ sage }) => nameOf(sage.key, personas);
}

function outcomeText(state: ShownTurn, { outcome, explanation }: TurnEnd): string {
  const { progress, personas } = state;
  const sentence = progressSentence(progress, nameIn(personas));
  const told = seatsInWords(
    progress,
    (sage) => nameOf(sage, personas),
    (reason) => firstCharacters(inertDiscordLine(reason), longestReason),
  );
  const names = told === '' ? [] : [`-# ${told}`];
  // That it was stopped is said by then.
  if (outcome === 'stopped') return [`**${sentence}**`, ...names].join('\n');
  if (outcome !== 'answered') {
    return [
      `**${sentence}** ${firstCharacters(inertDiscordLine(explanation), longestVerdict)}`.trim(),
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

function endButtons(link: string | undefined) {
  return link === undefined ? [] : [linkButton('Read the whole council', link)];
}

function stopButton({ turnId }: Pick<ShownTurn, 'turnId'>) {
  return button('Stop', { kind: 'stop', turnId }, ButtonStyle.Danger);
}

function quoted(question: string): string {
  const text = excerpt(inertDiscordText(question), longestQuestion);
  return text === '' ? '> …' : excerpt(text.replace(/^/gm, '> '), longest.question);
}
