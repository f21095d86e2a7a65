import { expect, test } from 'vitest';
import { blindRemark } from '../../../src/models/chat-model.ts';
import { answerJson, answerWhole, startRawModelServer } from '../../fakes/raw-model-server.ts';
import { modelAt, question } from '../ask.ts';

const pictures = [{ mediaType: 'image/png', base64: 'aGVsbG8=' }];
const shown = question({ messages: [{ role: 'user', content: 'What is it?', pictures }] });

/** A server that refuses pictures, and says so. */
function refusing(message: string, status = 400) {
  return startRawModelServer((request, response) => {
    const isShown = JSON.stringify(request.body).includes('image_url');
    const answer = isShown ? answerJson({ error: { message } }, status) : answerWhole('No idea.');
    return answer(request, response);
  });
}

test('pictures are shown to models that see', async () => {
  await using server = await startRawModelServer(answerWhole('A cat.'));
  const { remarks } = await modelAt(server.baseUrl, { pictures: true }).complete(shown);
  expect(server.requests[0]?.body.messages).toEqual([
    {
      role: 'user',
      content: [
        { type: 'text', text: 'What is it?' },
        { type: 'image_url', image_url: { url: 'data:image/png;base64,aGVsbG8=' } },
      ],
    },
  ]);
  expect(remarks).toBeUndefined();
});

test('a model that is known not to see is told that there were some, and its reply tells', async () => {
  await using server = await startRawModelServer(answerWhole('No idea.'));
  const model = modelAt(server.baseUrl);
  expect((await model.complete(shown)).remarks).toEqual([blindRemark]);
  const sent = JSON.stringify(server.requests[0]?.body);
  expect(sent).toContain('never guess what it shows');
  expect(sent).not.toContain('image_url');
  // Where there is nothing to see, there is nothing to tell.
  expect((await model.complete(question())).remarks).toBeUndefined();
});

test.each([
  ['This model does not support image input.', 400],
  ['No endpoints found that support image input', 404], // OpenRouter
])(
  'a model that refuses pictures is asked without, and not shown any again: %s',
  async (...said) => {
    await using server = await refusing(...said);
    const model = modelAt(server.baseUrl, { pictures: true });
    expect((await model.complete(shown)).remarks).toEqual([blindRemark]);
    expect((await model.complete(shown)).remarks).toEqual([blindRemark]);
    expect(server.requests).toHaveLength(3);
  },
);

test('a picture that is too large is left out this once', async () => {
  await using server = await refusing('image exceeds 5 MB maximum');
  const model = modelAt(server.baseUrl, { pictures: true });
  expect((await model.complete(shown)).remarks).toEqual([blindRemark]);
  await model.complete(shown);
  expect(server.requests).toHaveLength(4);
});
