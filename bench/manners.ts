/**
 * A day of 200 remarks in one thread of the council, on Discord and on Slack, of which a fifth is for it: what
 * they cost in calls to models and to the platform, and who is answered, in each follow-up mode. The moderator
 * knows whom each remark is for; so the figures are those of the rules, and not of any model.
 */

import { setTimeout as wait } from 'node:timers/promises';
import type { CouncilModels } from '../src/council/council.ts';
import type { ChatModel, ChatReply, ChatRequest } from '../src/models/chat-model.ts';
import { fileSettings } from '../test/bot/bot-fixture.ts';
import { conversations, type Line } from '../test/bot/remarks/conversations.ts';
import { answer, seating, verdict } from '../test/council/scripted-council.ts';
import { openThread, platforms } from '../test/platforms/council-thread.ts';
import { printTable } from './table.ts';

const remarks = 200;
/** Every so many remarks one is for the council, and two are talk of people; the rest are chatter. */
const every = 5;
const modes = ['everything', 'mention', 'asked'] as const;
/** A day, spread evenly. */
const betweenMs = 86_400_000 / remarks;
/** Long enough for what is said to be judged by models that answer at once. */
const settleMs = 25;

interface Said {
  readonly text: string;
  readonly isForCouncil: boolean;
}

export async function benchManners(): Promise<void> {
  const rows: string[][] = [];
  for (const mode of modes) {
    for (const platform of platforms) {
      rows.push([mode, platform, ...(await dayIn(mode, platform))]);
    }
  }
  printTable(
    `A day of ${remarks} remarks in one thread, ${remarks / every} of them for the council`,
    [
      ...['mode', 'platform', 'councils seated', 'of these unasked', 'questions unheard'],
      ...['calls to models', 'of these to judge', 'requests to the platform'],
    ],
    rows,
  );
}

async function dayIn(
  followUpMode: (typeof modes)[number],
  platform: (typeof platforms)[number],
): Promise<readonly string[]> {
  const day = dayOfRemarks();
  const wanted = new Set(day.filter(({ isForCouncil }) => isForCouncil).map(({ text }) => text));
  const calls: ChatRequest[] = [];
  let now = Date.now();
  await using thread = await openThread(
    platform,
    modelsThat((text) => wanted.has(text), calls),
    { settings: { ...fileSettings, followUpMode }, now: () => now },
  );
  const before = { calls: calls.length, requests: thread.requests() };
  for (const [at, { text }] of day.entries()) {
    now += betweenMs;
    await thread.say(at, text);
    await wait(settleMs);
    await thread.bot.idle();
  }
  // Each turn has one verdict; its prompt holds the question.
  const asked = calls
    .slice(before.calls)
    .filter(({ stage }) => stage === 'verdict')
    .map(questionIn);
  const heard = asked.filter((text) => wanted.has(text)).length;
  const since = calls.slice(before.calls);
  const judging = since.filter(isJudging).length;
  return [
    ...[asked.length, asked.length - heard, remarks / every - heard],
    ...[since.length, judging, thread.requests() - before.requests],
  ].map(String);
}

/** The same each time: for the council, then people among themselves, then chatter, in all languages in turn. */
function dayOfRemarks(): readonly Said[] {
  const languages = Object.values(conversations);
  const inTurn = (of: (one: (typeof languages)[number]) => readonly Line[]) => {
    const most = Math.max(...languages.map((one) => of(one).length));
    const lines = Array.from({ length: most }, (_, at) =>
      languages.flatMap((one) => of(one)[at] ?? []),
    );
    return lines.flat().map((line) => (typeof line === 'string' ? line : line.text));
  };
  const council = inTurn((one) => one.council);
  const people = inTurn((one) => one.people);
  const nobody = inTurn((one) => one.nobody);
  return Array.from({ length: remarks }, (_, at) => {
    const [kind, round] = [at % every, Math.floor(at / every)];
    const pick = (lines: readonly string[], index: number) => lines[index % lines.length] ?? '';
    if (kind === 0) return { text: pick(council, round), isForCouncil: true };
    if (kind < 3) return { text: pick(people, 2 * round + kind - 1), isForCouncil: false };
    return { text: pick(nobody, 2 * round + kind - 3), isForCouncil: false };
  });
}

/** @param isWanted - Whether a remark is for the council. */
function modelsThat(isWanted: (text: string) => boolean, calls: ChatRequest[]): CouncilModels {
  const say = (request: ChatRequest): ChatReply => {
    calls.push(request);
    return {
      text: saidTo(request, isWanted),
      reasoning: '',
      finishReason: 'stop',
      usage: { inputTokens: 10, outputTokens: 5, reasoningTokens: 0 },
    };
  };
  const model: ChatModel = {
    id: 'test:moderator',
    complete: async (request) => say(request),
    async *stream(request) {
      const reply = say(request);
      yield { type: 'text', text: reply.text };
      yield { type: 'finished', reply };
    },
  };
  return { moderator: model, sage: () => model, reviewer: () => model, chair: model };
}

function saidTo(request: ChatRequest, isWanted: (text: string) => boolean): string {
  switch (request.stage) {
    case 'moderator': {
      if (isJudging(request) && !isWanted(questionIn(request))) return '{"respond": "nobody"}';
      return seating(['ada', 'ben', 'cleo', 'dan']);
    }
    case 'review':
      return 'Each has its points.\n\nFINAL RANKING:\n1. Response A\n2. Response B\n3. Response C';
    case 'verdict':
      return verdict;
    default:
      return answer('It depends.');
  }
}

/** The question that a prompt is about, not those of earlier turns. */
function questionIn({ messages }: ChatRequest): string {
  const text = messages.at(-1)?.content ?? '';
  return /<question[^>]*>\n([\s\S]*?)\n<\/question/.exec(text)?.[1] ?? '';
}

function isJudging({ stage, messages }: ChatRequest): boolean {
  return stage === 'moderator' && messages[0]?.content.includes('"respond"') === true;
}
