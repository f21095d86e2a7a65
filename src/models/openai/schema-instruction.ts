import type { ChatMessage, ReplySchema } from '../chat-model.ts';

/**
 * The conversation with the shape of the reply asked for in words, for servers that can't be made
 * to keep to a schema. The words join the leading system message, because some local models accept
 * only one, and only in the first place.
 */
export function withSchemaInstruction(
  messages: readonly ChatMessage[],
  schema: ReplySchema,
): readonly ChatMessage[] {
  const instruction = [
    'Reply with one JSON object and nothing else: no introduction, no code fence, no remarks after it.',
    'It must be valid against this JSON Schema; reply with the object itself, not with the schema:',
    JSON.stringify(schema.json),
  ].join('\n');
  const [first, ...others] = messages;
  return first?.role === 'system'
    ? [{ role: 'system', content: `${first.content}\n\n${instruction}` }, ...others]
    : [{ role: 'system', content: instruction }, ...messages];
}
