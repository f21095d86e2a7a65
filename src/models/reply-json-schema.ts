import { z } from 'zod';

const known = new WeakMap<z.ZodType, Readonly<Record<string, unknown>>>();

/**
 * The JSON Schema of a zod schema, as the strictest servers want it: every object closed, every
 * property required (an optional one may be `null` instead), no keyword that they refuse. What
 * those keywords ask for, zod checks when the reply is there.
 *
 * Made once per schema object.
 *
 * @param schema - An object schema. A map with free keys in it is an error: servers can't be held to it.
 */
export function replyJsonSchema(schema: z.ZodType): Readonly<Record<string, unknown>> {
  const made = known.get(schema) ?? closed(z.toJSONSchema(schema, { io: 'input' }));
  known.set(schema, made);
  return made;
}

type JsonSchema = Readonly<Record<string, unknown>>;

const refusedKeywords = new Set([
  '$schema',
  'default',
  'minLength',
  'maxLength',
  'pattern',
  'format',
]);

function closed(schema: JsonSchema): JsonSchema {
  const kept = Object.entries(schema).filter(([keyword]) => !refusedKeywords.has(keyword));
  const inner = Object.fromEntries(
    kept.map(([keyword, value]) => [keyword, closedBelow(keyword, value)]),
  );
  if (schema.type !== 'object') {
    return inner;
  }
  if (!isJsonObject(schema.properties)) {
    throw new Error(
      'The shape of a reply has a map with free keys. Use a list of objects with a key instead.',
    );
  }
  const required = new Set(Array.isArray(schema.required) ? schema.required : []);
  const properties = Object.entries(schema.properties).map(([name, property]) => {
    const value = isJsonObject(property) ? closed(property) : property;
    return [name, required.has(name) ? value : { anyOf: [value, { type: 'null' }] }];
  });
  return {
    ...inner,
    properties: Object.fromEntries(properties),
    required: Object.keys(schema.properties),
    additionalProperties: false,
  };
}

/** Closes the schemas that stand under a keyword; properties are the object's own matter. */
function closedBelow(keyword: string, value: unknown): unknown {
  if (keyword === 'properties' || keyword === 'enum' || keyword === 'const') {
    return value;
  }
  if (Array.isArray(value)) {
    return value.map((item) => (isJsonObject(item) ? closed(item) : item));
  }
  if (!isJsonObject(value)) {
    return value;
  }
  return keyword === '$defs'
    ? Object.fromEntries(
        Object.entries(value).map(([name, item]) => [
          name,
          isJsonObject(item) ? closed(item) : item,
        ]),
      )
    : closed(value);
}

function isJsonObject(value: unknown): value is JsonSchema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
