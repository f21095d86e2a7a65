/** The smallest value that a JSON schema allows, for contracts that the rehearsal does not know. */

import { z } from 'zod';

const schemaSchema = z.looseObject({
  type: z.union([z.string(), z.array(z.string())]).optional(),
  properties: z.record(z.string(), z.unknown()).optional(),
  items: z.unknown().optional(),
  minItems: z.number().optional(),
  enum: z.array(z.unknown()).min(1).optional(),
  const: z.unknown().optional(),
  anyOf: z.array(z.unknown()).min(1).optional(),
  oneOf: z.array(z.unknown()).min(1).optional(),
  allOf: z.array(z.unknown()).min(1).optional(),
  minimum: z.number().optional(),
  exclusiveMinimum: z.number().optional(),
  minLength: z.number().optional(),
  maxLength: z.number().optional(),
  $ref: z.string().optional(),
  $defs: z.record(z.string(), z.unknown()).optional(),
});

/** Schemas may refer to themselves: past this many values the rest is `null`. */
const mostValues = 500;
const longestStringChars = 10_000;

/**
 * @param schema - JSON Schema. What it leaves open, or can't be satisfied within 500 values, is `null`.
 * @param sentence - Said wherever a string is wanted, cut or filled up to the length that the schema states.
 */
export function smallestValue(schema: unknown, sentence: string): unknown {
  const root = schemaSchema.safeParse(schema).data;
  let values = 0;

  function valueFor(part: unknown): unknown {
    values += 1;
    const parsed = schemaSchema.safeParse(part);
    if (values > mostValues || !parsed.success) return null;
    const node = parsed.data;
    if (node.const !== undefined) return node.const;
    if (node.enum) return node.enum[0];
    if (node.$ref !== undefined) return valueFor(root?.$defs?.[node.$ref.replace('#/$defs/', '')]);
    const [alternative] = node.anyOf ?? node.oneOf ?? node.allOf ?? [];
    if (alternative !== undefined) return valueFor(alternative);
    const type = Array.isArray(node.type) ? node.type[0] : node.type;
    if (type === 'array') {
      const length = Math.min(node.minItems ?? 0, mostValues - values);
      return Array.from({ length: Math.max(0, length) }, () => valueFor(node.items));
    }
    if (type === 'object' || node.properties) {
      const properties = Object.entries(node.properties ?? {});
      return Object.fromEntries(properties.map(([name, value]) => [name, valueFor(value)]));
    }
    if (type === 'string') {
      const filled = sentence.padEnd(Math.min(node.minLength ?? 0, longestStringChars), '.');
      return filled.slice(0, node.maxLength ?? filled.length);
    }
    if (type === 'number' || type === 'integer') {
      return node.minimum ?? (node.exclusiveMinimum === undefined ? 0 : node.exclusiveMinimum + 1);
    }
    return type === 'boolean' ? false : null;
  }

  return valueFor(schema);
}
