/**
 * Reads conversations and questions in the form of LoCoMo (Maharana et al., 2024). The file itself is the
 * user's. Our own file adds `held_out`, `language`, and `sages`: the speakers that are sages, in a
 * conversation in which each session is a thread.
 */

import { readFileSync } from 'node:fs';
import { z } from 'zod';

/** One message of a conversation. */
export interface RecallTurn {
  /** e.g. `D1:3`: the third of the first session. */
  readonly id: string;
  readonly speaker: string;
  readonly text: string;
  /** Milliseconds since 1970; each turn a second after the one before in its session. */
  readonly createdAt: number;
  /** Where sages speak: the id of the question that the turn asks or answers. */
  readonly asked?: string;
  /** e.g. `D1`. Absent: all sessions are one thread. */
  readonly thread?: string;
  readonly isSage: boolean;
}

export interface RecallQuestion {
  readonly text: string;
  /** Ids of the turns that hold the answer; at least one. */
  readonly evidence: readonly string[];
  readonly category: string;
}

export interface RecallConversation {
  readonly id: string;
  /** Kept apart from those that parameters may be chosen by. */
  readonly isHeldOut: boolean;
  /** In English, lower case; LoCoMo's is English. */
  readonly language: string;
  readonly turns: readonly RecallTurn[];
  readonly questions: readonly RecallQuestion[];
}

const categories: Readonly<Record<number, string>> = {
  1: 'several turns',
  2: 'time',
  3: 'open',
  4: 'one turn',
  5: 'adversarial',
  6: 'by name',
};

const turnSchema = z.object({
  speaker: z.string(),
  dia_id: z.string(),
  text: z.string(),
  blip_caption: z.string().optional(),
});
const fileSchema = z.array(
  z.object({
    sample_id: z.string(),
    held_out: z.boolean().optional(),
    language: z.string().default('english'),
    sages: z.array(z.string()).optional(),
    conversation: z.record(z.string(), z.unknown()),
    qa: z.array(
      z.object({ question: z.string(), evidence: z.array(z.string()), category: z.number() }),
    ),
  }),
);

/**
 * @param path - A JSON file: a list of conversations with sessions and questions.
 * @returns Every conversation. Where the file marks none as held out, the second half is.
 */
export function readConversations(path: string): readonly RecallConversation[] {
  const samples = fileSchema.parse(JSON.parse(readFileSync(path, 'utf8')));
  const isMarked = samples.some((sample) => sample.held_out !== undefined);
  return samples.map((sample, at) => {
    const said = turnsOf(sample.conversation, sample.sages ?? []);
    const turns = sample.sages === undefined ? said : inThreads(said);
    const ids = new Set(turns.map(({ id }) => id));
    return {
      id: sample.sample_id,
      isHeldOut: isMarked ? sample.held_out === true : at >= samples.length / 2,
      language: sample.language,
      turns,
      questions: sample.qa
        .map(({ question, evidence, category }) => ({
          text: question,
          evidence: evidenceIn(evidence).filter((id) => ids.has(id)),
          category: categories[category] ?? `category ${category}`,
        }))
        .filter(({ evidence }) => evidence.length > 0),
    };
  });
}

function turnsOf(
  conversation: Readonly<Record<string, unknown>>,
  sages: readonly string[],
): readonly RecallTurn[] {
  return Object.keys(conversation)
    .flatMap((key) => /^session_(\d+)$/.exec(key)?.[1] ?? [])
    .map(Number)
    .sort((one, other) => one - other)
    .flatMap((session) => {
      const startsAt = timeOf(conversation[`session_${session}_date_time`], session);
      const turns = z.array(turnSchema).parse(conversation[`session_${session}`]);
      return turns.map(({ dia_id, speaker, text, blip_caption }, at) => ({
        id: dia_id,
        speaker,
        text: blip_caption === undefined ? text : `${text} [picture: ${blip_caption}]`,
        createdAt: startsAt + at * 1000,
        isSage: sages.includes(speaker),
      }));
    });
}

/** A council's conversation: each session is a thread, and sages answer what a person said last. */
function inThreads(turns: readonly RecallTurn[]): readonly RecallTurn[] {
  let asked = '';
  return turns.map((turn) => {
    if (!turn.isSage) asked = turn.id;
    return { ...turn, asked, thread: turn.id.split(':')[0] ?? '' };
  });
}

/** e.g. `1:56 pm on 8 May, 2023`. Without a time that can be read, sessions are a day apart. */
function timeOf(written: unknown, session: number): number {
  const [, time, date] = /^(.+) on (.+)$/.exec(String(written)) ?? [];
  const parsed = Date.parse(`${date?.replace(',', '')} ${time} UTC`);
  return Number.isNaN(parsed) ? session * 86_400_000 : parsed;
}

/** Some entries hold several ids, and some write them in odd ways: `D8:6; D9:17`, `D:11:26`, `D30:05`. */
function evidenceIn(entries: readonly string[]): readonly string[] {
  const ids = entries.flatMap((entry) =>
    [...entry.matchAll(/D:?(\d+):(\d+)/g)].map(
      ([, session, turn]) => `D${Number(session)}:${Number(turn)}`,
    ),
  );
  return [...new Set(ids)];
}
