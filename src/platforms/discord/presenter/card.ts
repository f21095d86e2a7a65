/** The card of a turn: who sits, what they are doing, and in the end the verdict in short. */

import { ButtonStyle } from 'discord.js';
import type { Seat, TurnEnd, TurnStage, Verdict } from '../../../council/events.ts';
import { inertDiscordText } from '../../text/discord-text.ts';
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

/** What one sage is doing. */
export type SeatState =
  | { readonly doing: 'waiting' | 'thinking' }
  | { readonly doing: 'answered'; readonly latencyMs: number }
  | { readonly doing: 'stopped' }
  | { readonly doing: 'failed'; readonly reason: string };

/** Everything that a card shows of a turn. */
export interface TurnState {
  readonly turnId: string;
  readonly question: string;
  readonly askerId: string;
  readonly stage: TurnStage | undefined;
  readonly seats: readonly { readonly seat: Seat; readonly state: SeatState }[];
  readonly personas: ReadonlyMap<string, Persona>;
  readonly reviews: number;
  readonly verdict: Verdict | undefined;
  readonly end: TurnEnd | undefined;
  /** Address of what the card leads to; absent when it is right below. */
  readonly link: string | undefined;
  /** Small print, e.g. how a follow-up is asked. */
  readonly notes: readonly string[];
}

const longestQuestion = 900;
const longestVerdict = 1200;
const longestReason = 300;

/** The card before anybody is seated. Its turn is not known yet, so it can't be stopped by it. */
export function firstCard(question: string): readonly Component[] {
  return [container([textPart(`${quoted(question)}\n\n${stageText.moderator}`)])];
}

/** @param mark - By which the card is found again. */
export function cardOf(state: TurnState, mark: number): readonly Component[] {
  const { end } = state;
  const body = end ? outcomeText(state, end) : progressText(state);
  const notes = state.notes.map((note) => `-# ${note}`).join('\n');
  return [
    container([
      textPart(quoted(state.question), mark),
      separator(),
      textPart(body),
      ...(notes === '' ? [] : [textPart(notes)]),
      ...buttonRow(end ? endButtons(state) : [stopButton(state)]),
    ]),
  ];
}

const stageText: Readonly<Record<TurnStage, string>> = {
  moderator: '⏳ The moderator seats the sages.',
  sages: '⏳ The sages think.',
  reviews: '⏳ The sages review each other, blind.',
  verdict: '⏳ The chair weighs it all.',
};

function progressText({ stage, seats, personas, reviews }: TurnState): string {
  const lines = seats.map(
    ({ seat, state }) =>
      `${seatMark(state)} **${nameOf(seat.sage.key, personas)}** ${doingText(state)}`,
  );
  const done = stage === 'reviews' && reviews > 0 ? ` ${reviews} done.` : '';
  return [...lines, `${stageText[stage ?? 'moderator']}${done}`].join('\n');
}

function seatMark({ doing }: SeatState): string {
  return { waiting: '▫️', thinking: '💭', answered: '✅', stopped: '⏹️', failed: '⚠️' }[doing];
}

function doingText(state: SeatState): string {
  switch (state.doing) {
    case 'waiting':
      return 'waits';
    case 'thinking':
      return 'thinks';
    case 'answered':
      return `answered in ${Math.max(1, Math.round(state.latencyMs / 1000))} s`;
    case 'stopped':
      return 'was stopped';
    case 'failed':
      return `failed: ${cut(oneLine(state.reason), longestReason)}`;
  }
}

function outcomeText(state: TurnState, { outcome, explanation }: TurnEnd): string {
  const { verdict, seats, personas } = state;
  if (outcome === 'failed')
    return `⚠️ The council could not answer. ${cut(oneLine(explanation), longestVerdict)}`;
  const told = seats.map(
    ({ seat, state: seatState }) => `${nameOf(seat.sage.key, personas)} ${doingText(seatState)}`,
  );
  const names = `-# ${told.join(' · ')}`;
  if (outcome === 'stopped') return `⏹️ Stopped. What had been said is kept.\n${names}`;
  if (!verdict) return names;
  const heading =
    verdict.kind === 'synthesis' ? '**Verdict**' : '**Top-ranked answer, not a verdict**';
  const confidence = verdict.confidence ? `\n-# Confidence: ${verdict.confidence}` : '';
  return `${heading}\n${cut(inertDiscordText(verdict.verdict).trim(), longestVerdict)}${confidence}\n${names}`;
}

function endButtons({ link }: TurnState) {
  return link === undefined ? [] : [linkButton('Read the whole council', link)];
}

function stopButton({ turnId, askerId }: TurnState) {
  return button('Stop', { kind: 'stop', turnId, askerId }, ButtonStyle.Danger);
}

function quoted(question: string): string {
  const text = cut(inertDiscordText(question).trim(), longestQuestion);
  return text === '' ? '> …' : text.replace(/^/gm, '> ');
}

/** Never inside a code fence that would stay open: what is cut is shown as it is written, on fewer lines. */
function cut(text: string, longest: number): string {
  const characters = Array.from(text);
  if (characters.length <= longest) return closedFence(text);
  return `${closedFence(
    characters
      .slice(0, longest - 1)
      .join('')
      .trimEnd(),
  )}…`;
}

function closedFence(text: string): string {
  const fences = text.match(/^\s*```/gm)?.length ?? 0;
  return fences % 2 === 0 ? text : `${text}\n\`\`\``;
}
