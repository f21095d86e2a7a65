import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { logEvent } from '../../../src/bot/running/journal.ts';
import type { TurnEvent } from '../../../src/council/events.ts';
import { docketSchema, rebuttalSchema } from '../../../src/domain/docket.ts';
import type { Log, LogFacts } from '../../../src/domain/log.ts';
import {
  ownAnswerSchema,
  reviewSchema,
  sageAnswerSchema,
  seatedSchema,
  verdictSchema,
} from '../../../src/domain/turn.ts';

const said = 'what was said';
/** The names of fields that hold the key of a sage or the name of a model. */
const ids: readonly string[] = ['sage', 'reviewer', 'by', 'model', 'key'];

/** A value with all fields of a schema, in which every text that is no id was said by somebody. */
function filled(schema: unknown, name = ''): unknown {
  if (schema instanceof z.ZodObject) {
    return Object.fromEntries(
      Object.entries(schema.shape).map(([field, of]) => [field, filled(of, field)]),
    );
  }
  if (schema instanceof z.ZodExactOptional || schema instanceof z.ZodOptional) {
    return filled(schema.unwrap(), name);
  }
  if (schema instanceof z.ZodDefault) return filled(schema.unwrap(), name);
  if (schema instanceof z.ZodArray) return [filled(schema.element, name)];
  if (schema instanceof z.ZodDiscriminatedUnion) return filled(schema.options.at(-1), name);
  if (schema instanceof z.ZodEnum) return schema.options[0];
  if (schema instanceof z.ZodLiteral) return schema.value;
  if (schema instanceof z.ZodNumber) return 1;
  if (schema instanceof z.ZodBoolean) return true;
  if (schema instanceof z.ZodString) return ids.includes(name) ? `id of ${name}` : said;
  throw new TypeError(`There is no sample of ${name}.`);
}

function sample<Schema extends z.ZodType>(schema: Schema): z.infer<Schema> {
  return schema.parse(filled(schema));
}

const events: readonly TurnEvent[] = [
  { type: 'seated', seated: sample(seatedSchema) },
  { type: 'own_answer', ownAnswer: sample(ownAnswerSchema) },
  { type: 'answered', answer: sample(sageAnswerSchema) },
  { type: 'reviewed', review: sample(reviewSchema) },
  { type: 'docketed', docket: sample(docketSchema) },
  { type: 'rebutted', rebuttal: sample(rebuttalSchema) },
  { type: 'recast', ballot: sample(reviewSchema) },
  { type: 'concluded', verdict: sample(verdictSchema) },
  { type: 'ended', end: { outcome: 'failed', explanation: said } },
];

function logged(event: TurnEvent): readonly (readonly [LogFacts, string])[] {
  const lines: (readonly [LogFacts, string])[] = [];
  const note = (facts: LogFacts, sentence: string) => void lines.push([facts, sentence]);
  const log: Log = { info: note, warn: note, error: note, child: () => log };
  logEvent(log, event);
  return lines;
}

describe('the log of a turn', () => {
  test.each(events)('has one line for $type, and nothing that people or models said', (event) => {
    expect(JSON.stringify(event)).toContain(said);
    expect(logged(event)).toHaveLength(1);
    expect(JSON.stringify(logged(event))).not.toContain(said);
  });

  test('says who answered, how, with which model and how long it took', () => {
    const answer: TurnEvent = {
      type: 'answered',
      answer: {
        ...sample(sageAnswerSchema),
        status: 'failed',
        reason: 'timed_out',
        latencyMs: 812,
      },
    };
    expect(logged(answer)).toEqual([
      [
        {
          sage: 'id of sage',
          status: 'failed',
          reason: 'timed_out',
          model: 'id of model',
          latencyMs: 812,
        },
        'sage ended',
      ],
    ]);
    const [[review = {}] = []] = logged({ type: 'reviewed', review: sample(reviewSchema) });
    expect(review).toMatchObject({ reviewer: 'id of reviewer', ballot: 'abstained' });
  });

  test('warns of a turn that failed, and of no other', () => {
    const levels: string[] = [];
    const log: Log = {
      info: () => void levels.push('info'),
      warn: () => void levels.push('warn'),
      error: () => void levels.push('error'),
      child: () => log,
    };
    for (const outcome of ['answered', 'stopped', 'failed'] as const) {
      logEvent(log, { type: 'ended', end: { outcome, explanation: said } });
    }
    expect(levels).toEqual(['info', 'info', 'warn']);
  });

  test('has no line for text that grows', () => {
    expect(logged({ type: 'verdict_grew', verdict: said })).toEqual([]);
    expect(logged({ type: 'answer_grew', sage: 'seneca', answer: said })).toEqual([]);
  });
});
