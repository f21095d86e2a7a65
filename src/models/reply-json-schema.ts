import { z } from 'zod';

const known = new WeakMap<z.ZodType, Readonly<Record<string, unknown>>>();

/** Keywords that strict servers refuse; zod checks what they ask for when the reply is there. */
const refusedKeywords = ['default', 'minLength', 'maxLength', 'pattern', 'format'] as const;

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
  const made = known.get(schema) ?? closedSchema(schema);
  known.set(schema, made);
  return made;
}

function closedSchema(schema: z.ZodType): Readonly<Record<string, unknown>> {
  const { $schema: _, ...json } = z.toJSONSchema(schema, {
    io: 'input',
    override: ({ jsonSchema }) => close(jsonSchema),
  });
  return json;
}

function close(schema: z.core.JSONSchema.BaseSchema): void {
  for (const keyword of refusedKeywords) delete schema[keyword];
  if (schema.type !== 'object') return;
  const { properties, required = [] } = schema;
  if (!properties) {
    throw new Error(
      'The shape of a reply has a map with free keys. Use a list of objects with a key instead.',
    );
  }
  for (const [name, property] of Object.entries(properties)) {
    if (required.includes(name) || typeof property !== 'object') continue;
    properties[name] = { anyOf: [property, { type: 'null' }] };
  }
  schema.required = Object.keys(properties);
  schema.additionalProperties = false;
}
