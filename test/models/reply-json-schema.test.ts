import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { replyJsonSchema } from '../../src/models/structured.ts';

describe('the JSON Schema of a reply', () => {
  it('is closed and requires every property, at every depth', () => {
    const schema = z.object({
      answer: z.string().min(1).max(9).describe('For people.'),
      format: z.enum(['a', 'b']),
      seats: z.array(z.object({ name: z.string(), focus: z.string().optional() })).max(4),
      confidence: z.enum(['low', 'high']).nullable(),
      more: z.array(z.string()).default([]),
    });
    expect(replyJsonSchema(schema)).toEqual({
      type: 'object',
      properties: {
        answer: { type: 'string', description: 'For people.' },
        format: { type: 'string', enum: ['a', 'b'] },
        seats: {
          type: 'array',
          maxItems: 4,
          items: {
            type: 'object',
            properties: {
              name: { type: 'string' },
              focus: { anyOf: [{ type: 'string' }, { type: 'null' }] },
            },
            required: ['name', 'focus'],
            additionalProperties: false,
          },
        },
        confidence: { anyOf: [{ type: 'string', enum: ['low', 'high'] }, { type: 'null' }] },
        more: { anyOf: [{ type: 'array', items: { type: 'string' } }, { type: 'null' }] },
      },
      required: ['answer', 'format', 'seats', 'confidence', 'more'],
      additionalProperties: false,
    });
  });

  it('is made once', () => {
    const schema = z.object({ answer: z.string() });
    expect(replyJsonSchema(schema)).toBe(replyJsonSchema(schema));
  });

  it('cannot have maps with free keys', () => {
    expect(() => replyJsonSchema(z.object({ scores: z.record(z.string(), z.number()) }))).toThrow(
      /list of objects/,
    );
  });
});
