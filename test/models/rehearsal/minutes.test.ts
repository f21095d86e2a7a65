import { expect, test } from 'vitest';
import { type Discussion, discussionMessages } from '../../../src/memory/minutes/discussion.ts';
import { writeMinutes } from '../../../src/memory/minutes/minutes.ts';
import { noLanguage } from '../../../src/memory/recall/retrieval/language.ts';
import type { ChatRequest } from '../../../src/models/chat-model.ts';
import { readScene } from '../../../src/models/rehearsal/voice/scene.ts';
import { speak } from '../../../src/models/rehearsal/voice/speak.ts';
import { scriptedModel } from '../../fakes/scripted-model.ts';

const discussion: Discussion = {
  said: [
    { number: 1, by: 'Uma', kind: 'question', text: 'Should we move 120 people?' },
    { number: 2, by: 'Ada Sage', kind: 'answer', text: 'Move in 3 steps. Who pays?' },
    { number: 3, by: 'the chair', kind: 'verdict', text: 'Move slowly. Ask again.' },
  ],
  leftOut: [],
};

/** Speaks as the rehearsal's server does. */
function rehearsed({ messages, replySchema }: ChatRequest): string {
  const contract = replySchema
    ? ({ kind: 'json', schema: replySchema.json } as const)
    : ({ kind: 'text' } as const);
  return speak(readScene(messages, replySchema?.name, [], 'rehearsal:sages'), contract, []);
}

test('the rehearsal keeps whole minutes at the first try, and claims no judgement', async () => {
  const model = scriptedModel('test:rehearsal', [rehearsed, rehearsed]);
  const { brief, record } = await writeMinutes(discussion, {
    briefModel: model,
    recordModel: model,
    language: noLanguage,
    languageRule: '',
    signal: new AbortController().signal,
  });
  expect(brief.missing).toEqual([]);
  expect(brief.text).toContain('no language model has judged it');
  expect(record).toMatchObject({
    question: 'Should we move 120 people?',
    positions: [{ said: 2, position: 'Move in 3 steps.' }],
    decision: { status: 'recommended', text: 'Move slowly.', said: 3 },
  });
});

test('the rehearsal takes no message for minutes that is not numbered', () => {
  const [asked] = discussionMessages(discussion);
  const messages = asked
    ? [{ ...asked, content: asked.content.replaceAll(/ said="\d+"/g, '') }]
    : [];
  expect(readScene(messages, undefined, [], 'rehearsal:sages').part).toBe('other');
});
