import { z } from 'zod';
import { effectiveVoices, type Voices } from '../src/council/leaderboard.ts';
import { type Receipt, receiptOf } from '../src/council/receipt.ts';
import { disagreementInNumbers } from '../src/domain/turn-words.ts';
import { counted, listed } from '../src/domain/words.ts';
import { memoryId } from '../src/memory/memories.ts';
import { type ReplyBlock, turnOption } from './command.ts';
import { type CommandContext, councilCommand } from './context.ts';
import { dayMs, defaultDays } from './leaderboard.ts';

/** `/council receipt`: how a verdict was reached and what it cost. */
export const receipt = councilCommand({
  name: 'receipt',
  description: 'How the last verdict came about: seats, models, ballots, time and cost',
  showsTurns: true,
  options: {
    turn: turnOption(),
    show: z
      .enum(['summary', 'reasoning'])
      .optional()
      .describe('reasoning: what the models thought before they replied, where they tell it'),
  },
  async run(context, { turn, show = 'summary' }) {
    const { past, status, outcome = status, usage } = await context.turn(turn);
    const found = receiptOf(past, outcome, usage);
    if (show === 'reasoning') return { isPrivate: true, blocks: reasoningBlocks(found) };
    const since = context.now() - defaultDays * dayMs;
    const voices = effectiveVoices(await context.scoredTurns({ reach: 'channel', since }));
    return { isPrivate: true, blocks: receiptBlocks(found, voices, context) };
  },
});

/** Formats a receipt for people. What the workspace pays, and for which calls, is not for outsiders. */
function receiptBlocks(
  receipt: Receipt,
  voices: Voices | undefined,
  { isOutsider }: Pick<CommandContext, 'isOutsider'>,
): readonly ReplyBlock[] {
  const { ballots, heard, seated } = receipt;
  const { good, bad } = receipt.feedback;
  const nameOf = (key: string) => seated.find(({ sage }) => sage === key)?.name ?? key;
  const facts: readonly (readonly [name: string, value: string | undefined])[] = [
    ['Outcome', sentences(receipt.outcome, receipt.explanation, ': ')],
    ['Preset', receipt.preset],
    ['Seats', sentences(seatedHow(receipt.how, seated.length), receipt.note)],
    ['Sages', listed(seated.map(seatText)) || undefined],
    ['Depth', receipt.depth && `${receipt.depth}, chosen by the moderator`],
    ...receipt.dropped.map(({ name, why }) => [`Not seated: ${name}`, why] as const),
    ['Ballots', ballotsText(receipt)],
    ['Disagreement', disagreementText(receipt)],
    ['Effective voices', voicesText(voices)],
    ...ballots.abstained.map(
      ({ reviewer, reason }) => [`Abstained: ${nameOf(reviewer)}`, reason] as const,
    ),
    ['Rebuttal', roundText(receipt)],
    ['Confidence', receipt.confidence],
    ['Remembered', rememberedText(receipt)],
    ['Memories', memoriesText(receipt)],
    ['Conversation', heard && sentences(`Read ${heard.words ?? 'no messages'}.`, heard.gap)],
    ...(heard?.sources ?? []).map((value) => ['Source', value] as const),
    ['Pictures', blindText(receipt)],
    ['Feedback', good + bad === 0 ? undefined : `good: ${good}, bad: ${bad}`],
    ...receipt.uses.map((value) => ['Since', value] as const),
    ...receipt.remarks.map((value) => ['Model', value] as const),
    ['Time', timeText(receipt.stagesMs)],
    ['Cost', isOutsider ? undefined : costText(receipt.totals)],
    ['Id of this turn', receipt.turnId],
  ];
  const fields = facts.flatMap(([name, value]) => (value === undefined ? [] : [{ name, value }]));
  return [
    { type: 'fields', fields },
    ...(isOutsider || receipt.calls.length === 0 ? [] : [callsTable(receipt, nameOf)]),
  ];
}

/** E.g. `Taleb (openai:gpt-5, failed: timed out)`. */
function seatText({ name, model, status, reason }: Receipt['seated'][number]): string {
  const ended = reason ? `${status}: ${spaced(reason)}` : status;
  return `${name} (${status === 'answered' ? model : `${model}, ${ended}`})`;
}

/** The outcome of the rebuttal of depth `deep`. */
function roundText({ round }: Receipt): string | undefined {
  if (!round) return undefined;
  const { contradictions, positions, secondBallots, droppedQuotes, failure } = round;
  const { held, amended, conceded } = positions;
  const dropped =
    droppedQuotes === 0 ? '' : `; ${counted(droppedQuotes, 'quote')} stood in no answer`;
  const outcome =
    contradictions === 0
      ? 'none, as no two answers contradict each other'
      : `${counted(contradictions, 'contradiction')}: ${held} held, ${amended} amended, ${conceded} conceded; ${counted(secondBallots, 'second ballot')}`;
  return `${failure ?? outcome}${dropped}`;
}

function callsTable({ calls }: Receipt, nameOf: (sage: string) => string): ReplyBlock {
  return {
    type: 'table',
    header: ['call', 'model', 'in', 'out', 'reasoning', 'cost', 'seconds', 'ended'],
    rows: calls.map((call) => [
      sentences(spaced(call.stage), call.sageName && nameOf(call.sageName)),
      call.model,
      `${call.estimated ? '~' : ''}${call.inputTokens}`,
      `${call.estimated ? '~' : ''}${call.outputTokens}`,
      `${call.reasoningTokens}`,
      call.costUsd === undefined ? 'unknown' : usd(call.costUsd),
      seconds(call.latencyMs),
      spaced(call.outcome),
    ]),
  };
}

/** The stored beginning of the models' reasoning, which is never an answer. */
function reasoningBlocks({ reasoning }: Receipt): readonly ReplyBlock[] {
  if (reasoning.length === 0) {
    return [{ type: 'text', text: 'No model shared its reasoning in this turn.' }];
  }
  return reasoning
    .flatMap(({ stage, name, text }) => [`## ${thoughtBy[stage](name ?? 'a sage')}`, text])
    .map((text) => ({ type: 'text', text }));
}

const thoughtBy = {
  moderator: () => 'What the moderator thought',
  sage: (name: string) => `What ${name} thought`,
  review: (name: string) => `What ${name} thought while reviewing`,
  own_answer: () => 'What the chair would have said alone',
  docket: () => 'What the model thought while comparing the answers',
  rebuttal: (name: string) => `What ${name} thought when asked once more`,
  verdict: () => 'What the chair thought',
} as const;

/** Why memories were left out, in words. */
const notShownBecause = [
  ['overBudget', 'over the token budget'],
  ['inHistory', 'already among the last questions'],
  ['saidTwice', 'repeated'],
  ['notCompacted', 'too long to shorten'],
] as const;

function rememberedText({ interactionsRemembered, memory }: Receipt): string {
  const shortened = (memory?.used ?? []).filter(({ isShortened }) => isShortened).length;
  const how = shortened === 0 ? '' : `, ${shortened} of them in short`;
  const history = `${counted(interactionsRemembered, 'earlier question')} of this thread${how}`;
  if (!memory) return history;
  if (memory.isDamaged) {
    return 'nothing, because a record of what was said before is damaged. The log of the bot names it.';
  }
  const count = (kind: string) => memory.used.filter((one) => one.kind === kind).length;
  const found = `${counted(count('message'), 'message')} and ${counted(count('shard'), 'summary', 'summaries')} relevant to the question`;
  const leftOut = notShownBecause.flatMap(([reason, words]) => {
    const count = memory.notShown?.[reason] ?? 0;
    return count > 0 ? [`${count} ${words}`] : [];
  });
  const tokens = `about ${memory.tokens} of ${memory.budgetTokens} tokens`;
  const without = leftOut.length === 0 ? '' : `; left out: ${leftOut.join(', ')}`;
  if (memory.used.length === 0 && without === '') return 'nothing';
  return `${history}, ${found} (${tokens}${without})`;
}

function blindText({ blind }: Receipt): string | undefined {
  if (blind.length === 0) return undefined;
  const why = blind.length === 1 ? 'its model takes none' : 'their models take none';
  return `${listed(blind)} could not see them: ${why}.`;
}

/** The ids of the recalled memories, as the command `memory` accepts them. */
function memoriesText({ memory }: Receipt): string | undefined {
  const ids = (memory?.used ?? []).flatMap(({ kind, threadId, id, isPinned }) =>
    kind === 'question'
      ? []
      : `${memoryId({ kind, threadId, id })}${isPinned === true ? ' (pinned)' : ''}`,
  );
  return ids.join(', ') || undefined;
}

const seatsBy = {
  moderated: 'Chosen by the moderator for this question.',
  fixed: 'Fixed by the settings.',
  addressed: 'Named by the person who asked.',
  fallback: 'The fallback council.',
};

/** How the sages were chosen, in words. @param how - Absent: the turn ended before that. */
export function seatedHow(how: keyof typeof seatsBy | undefined, count: number): string {
  if (how === undefined) return 'No sage was seated.';
  return count === 0 ? 'No sage: the chair answered from what was said before.' : seatsBy[how];
}

function ballotsText(receipt: Receipt): string {
  const { ballots, agreement, selfPreference, caution } = receipt;
  if (ballots.ranked + ballots.abstained.length === 0) return 'None: no reviews were held.';
  const parts = [`${ballots.ranked} read, ${ballots.abstained.length} abstained`];
  if (agreement !== undefined) parts.push(`agreement ${agreement.toFixed(2)} (from -1 to 1)`);
  if (selfPreference !== undefined) {
    const places = Math.abs(selfPreference).toFixed(2);
    const way = selfPreference < 0 ? 'lower' : 'higher';
    parts.push(`reviewers placed their own answers ${places} places ${way} than the others did`);
  }
  return sentences(`${parts.join('; ')}.`, caution);
}

function disagreementText({ disagreement, ballots }: Receipt): string | undefined {
  if (disagreement) return disagreementInNumbers(disagreement);
  return ballots.ranked === 0
    ? undefined
    : 'not measured: fewer than three ballots ranked every answer';
}

function voicesText(found: Voices | undefined): string | undefined {
  if (!found) return undefined;
  const { voices, ballots, turns } = found;
  return `${ballots.toFixed(1)} ballots a turn vote like ${voices.toFixed(1)} independent ones (the last ${turns} ranked turns of this channel, ${defaultDays} days at most)`;
}

function timeText(stagesMs: Receipt['stagesMs']): string | undefined {
  const stages = Object.entries(stagesMs);
  if (stages.length === 0) return undefined;
  const total = stages.reduce((sum, [, elapsedMs]) => sum + elapsedMs, 0);
  const parts = stages.map(([stage, elapsedMs]) => `${spaced(stage)} ${seconds(elapsedMs)} s`);
  return `${seconds(total)} s: ${parts.join(', ')}`;
}

function costText(totals: Receipt['totals']): string {
  if (totals.calls === 0) return 'nothing: no model was called';
  const tokens = `${counted(totals.calls, 'call')}, ${counted(totals.inputTokens, 'token')} in, ${totals.outputTokens} out`;
  if (totals.callsWithoutCost === 0) return `${usd(totals.costUsd)} for ${tokens}`;
  const why = 'no price is set for the model';
  return totals.costUsd === 0
    ? `Unknown for ${tokens}: ${why}`
    : `${usd(totals.costUsd)} for ${tokens}, without ${counted(totals.callsWithoutCost, 'call')} of unknown cost: ${why}`;
}

/** Joins a text and an optional second one. */
function sentences(one: string, other: string | undefined, joint = ' '): string {
  return [one, other].filter(Boolean).join(joint);
}

/** A key as words, e.g. `own answer`. */
function spaced(key: string): string {
  return key.replaceAll('_', ' ');
}

function seconds(milliseconds: number): string {
  return (milliseconds / 1000).toFixed(1);
}

function usd(amount: number): string {
  return amount === 0 ? '$0' : `$${amount.toFixed(4)}`;
}
