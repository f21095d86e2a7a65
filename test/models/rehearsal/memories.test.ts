import { expect, it } from 'vitest';
import { sageShape } from '../../../src/council/prompts/sage-prompt.ts';
import { memoryMessages, memoryOfMessage } from '../../../src/memory/memories.ts';
import type { ChatMessage } from '../../../src/models/chat-model.ts';
import { answer, imported } from '../../contracts/store/samples.ts';
import { sageOf, sagePrompt } from './council-prompts.ts';
import { rehearse, textOf } from './rehearsal.ts';

const asked = imported('asked', 'human', {
  content: { type: 'user_query', text: 'Tea or coffee?' },
});
const answered = answer('elsewhere', 'engineer');

function remembered(...messages: readonly (typeof asked)[]): readonly ChatMessage[] {
  const memories = messages.flatMap(
    (message) => memoryOfMessage({ message, place: 1, agesFrom: 1 }) ?? [],
  );
  expect(memories).toHaveLength(messages.length);
  return memoryMessages([], memories);
}

async function said(history: readonly ChatMessage[]): Promise<string> {
  const { client } = await rehearse();
  const prompt = sagePrompt(sageOf('economist'), 'Should I move?', { history });
  return sageShape.schema.parse(JSON.parse(await textOf(client, prompt, 'sage_answer'))).answer;
}

const before: readonly ChatMessage[] = [
  { role: 'user', content: 'Should I learn Greek?' },
  { role: 'assistant', content: 'The Economist: what does it cost?' },
];

it.each([
  ['a question', [asked]],
  ['an answer', [answered]],
  ['both', [asked, answered]],
])(
  'quotes the earlier question of the thread, and not %s that is remembered',
  async (_, messages) => {
    const memories = remembered(...messages);
    expect(await said([...memories, ...before])).toContain('Should I learn Greek?');
    expect(await said(memories)).not.toMatch(/earlier|Tea or coffee|said here/);
    expect(await said(memories)).toBe(await said([]));
  },
);
