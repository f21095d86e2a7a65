import { describe, expect, test } from 'vitest';
import { asSaid, compressWindow } from '../../../src/memory/shards/keep-windows.ts';
import type { ShardSource } from '../../../src/memory/shards/windows.ts';
import { wordCount } from '../../../src/memory/summaries/passages.ts';
import { ModelError } from '../../../src/models/chat-model.ts';
import { type Line, scriptedModel } from '../../fakes/scripted-model.ts';
import { realWindows } from '../summaries/real-windows.ts';

async function compressed(sources: readonly ShardSource[], lines: readonly Line[]) {
  const model = scriptedModel('test:cheap', lines);
  const compress = compressWindow(model, '', 'UTC');
  const shard = await compress(sources, new AbortController().signal);
  return { shard, requests: model.requests, unsaid: model.unsaid };
}

/** What a second request says back, and the limit that the first one gave. */
async function toldAbout(sources: readonly ShardSource[], bad: string, good: string) {
  const { shard, requests } = await compressed(sources, [bad, good]);
  expect(shard).toEqual({ text: good });
  const [first, second] = requests.map(({ messages }) => messages.at(-1)?.content ?? '');
  const limit = /at most (\d+) words/.exec(first ?? '')?.[1];
  expect(second).toContain(`at most ${limit} words`);
  return { told: second ?? '', limit: Number(limit) };
}

/** `- the position “Wait.” (economist)` as `position of economist`; a number with its digits. */
function kindAndSpeaker(line: string): string {
  const [, kind, text, by] = /^- the (\w+)(?: question)? “(.*)” \((.*)\)$/.exec(line) ?? [];
  return kind === 'number' ? `number ${text}` : `${kind} of ${by}`;
}

describe.each(realWindows)('of the conversation $name', ({ sources, good, bad }) => {
  test('takes a good summary at the first try', async () => {
    const { shard, requests } = await compressed(sources, [good]);
    expect(shard).toEqual({ text: good });
    const limit = /at most (\d+) words/.exec(requests[0]?.messages.at(-1)?.content ?? '')?.[1];
    expect(wordCount(good)).toBeLessThanOrEqual(Number(limit));
  });

  test.each(bad)('tells a summary that %s what it lacks', async (_, text, lacks) => {
    const { told } = await toldAbout(sources, text, good);
    const list = /<missing>\n([\s\S]*?)\n<\/missing>/.exec(told)?.[1]?.split('\n') ?? [];
    expect(list.map(kindAndSpeaker)).toEqual(lacks);
  });

  test('refuses a summary of nothing, of a sage that was not there, and of any length', async () => {
    const empty = await toldAbout(sources, ' ', good);
    expect(empty.told).toContain('<missing>');
    const stranger = await toldAbout(sources, `${good}\nSeneca: would wait for spring.`, good);
    expect(stranger.told).toContain('<missing>\n- “Seneca”\n</missing>');
    const long = `${good}\n${good}`;
    const { told } = await toldAbout(sources, long, good);
    expect(told).toContain(`Your text has ${wordCount(long)} words.`);
  });

  test('is kept as it was said by a model that refuses to sum it up', async () => {
    const refusal = 'I’m sorry, but I can’t help with that.';
    const { shard } = await compressed(sources, [refusal, refusal, refusal]);
    expect(shard).toEqual({ text: asSaid(sources), mark: 'as_said' });
    const refused = new ModelError('It refuses.', { failure: 'refused', model: 'test:cheap' });
    const again = await compressed(sources, [refused]);
    expect(again.shard).toEqual({ text: asSaid(sources), mark: 'as_said' });
  });
});

test('a summary must say what the verdict was, after the answers that it weighs', async () => {
  const at = { turnId: 't1', createdAt: 1, agesFrom: 1, isPrivate: true };
  const question = 'Shall we sell the quay?';
  const sources: readonly ShardSource[] = [
    {
      ...at,
      id: 'q',
      role: 'human',
      by: 'Uma',
      text: question,
      shown: question,
      verdict: 'Lease the **eastern mole** to fishermen first.',
    },
    { ...at, id: 'a', role: 'ai', by: 'ada', text: 'Sell it at once.', shown: 'Sell it.' },
  ];
  const without = 'Uma: asked whether to sell the quay.\nada: would sell it at once.';
  const whole = `${without}\nthe chair: lease the eastern mole to fishermen first.`;
  const { shard, requests } = await compressed(sources, [without, whole]);
  expect(shard).toEqual({ text: whole });
  expect(requests[0]?.messages[2]?.content).toBe(
    '<answer sage="ada">\nSell it at once.\n</answer>\n<verdict sage="the chair">\nLease the **eastern mole** to fishermen first.\n</verdict>',
  );
  expect(requests[1]?.messages.at(-1)?.content).toContain(
    '- the decision “Lease the eastern mole to fishermen first.” (the chair)',
  );
});

test('a summary is asked for dates: each question says its day, as the channel counts it', async () => {
  const at = { turnId: 't1', agesFrom: 1, isPrivate: true };
  const text = 'Do we meet next Tuesday?';
  const sources: readonly ShardSource[] = [
    {
      ...at,
      id: 'q',
      role: 'human',
      by: 'Uma',
      text,
      shown: text,
      createdAt: Date.UTC(2026, 10, 30, 23),
    },
  ];
  const model = scriptedModel('test:cheap', ['Uma: asked whether they meet on 8 December.']);
  await compressWindow(model, '', 'Europe/Berlin')(sources, new AbortController().signal);
  const [, question] = model.requests[0]?.messages ?? [];
  expect(question?.content).toContain(
    `<question from="Uma" on="Tuesday, 1 December 2026">\n${text}`,
  );
  expect(question?.content).toContain('“next Tuesday”, write its date');
});
