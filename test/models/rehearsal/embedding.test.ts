import fc from 'fast-check';
import OpenAI from 'openai';
import { describe, expect, it } from 'vitest';
import { rehearse } from './rehearsal.ts';

async function vectors(client: OpenAI, input: string[], dimensions?: number): Promise<number[][]> {
  const reply = await client.embeddings.create({
    model: 'sages-embedding',
    input,
    ...(dimensions === undefined ? {} : { dimensions }),
  });
  return reply.data.map(({ embedding }) => embedding);
}

const dot = (one: readonly number[] = [], other: readonly number[] = []) =>
  one.reduce((sum, value, index) => sum + value * (other[index] ?? 0), 0);

describe('vectors of the rehearsal', () => {
  it('are closer for texts that share words, in any form, than for texts that do not', async () => {
    const { client } = await rehearse();
    const [asked, near, far] = await vectors(client, [
      'How often should we deploy to production?',
      'Deploying on Fridays broke production twice.',
      'My grandmother bakes bread with rye flour.',
    ]);
    expect(dot(asked, near)).toBeGreaterThan(dot(asked, far) + 0.1);
  });

  it('are the same for the same text, alone and in a batch, in the order of the batch', async () => {
    const { client } = await rehearse();
    const texts = ['one river', 'two bridges', 'three towers'];
    const together = await vectors(client, texts);
    for (const [index, text] of texts.entries()) {
      expect(await vectors(client, [text])).toEqual([together[index]]);
    }
    expect(new Set(together.map(String)).size).toBe(3);
  });

  it('have the dimensions asked for and length 1, whatever the text', async () => {
    const { client } = await rehearse();
    await fc.assert(
      fc.asyncProperty(
        fc.string({ minLength: 1, unit: 'grapheme' }),
        fc.integer({ min: 1, max: 300 }),
        async (text, dimensions) => {
          const [vector = []] = await vectors(client, [text], dimensions);
          expect(vector).toHaveLength(dimensions);
          expect(Math.hypot(...vector)).toBeCloseTo(1, 4);
        },
      ),
      { numRuns: 60 },
    );
  });

  it('come as plain numbers when those are asked for', async () => {
    const { client } = await rehearse();
    const request = { model: 'sages-embedding', input: 'one river' };
    const plain = await client.embeddings.create({ ...request, encoding_format: 'float' });
    const packed = await client.embeddings.create({ ...request, encoding_format: 'base64' });
    const bytes = Buffer.from(String(packed.data[0]?.embedding), 'base64');
    expect(bytes.length).toBe(256 * 4);
    expect(bytes.readFloatLE(0)).toBeCloseTo(plain.data[0]?.embedding[0] ?? Number.NaN, 6);
    expect(plain.usage.total_tokens).toBe(3);
  });

  it('are refused for an empty text and by a model that is not there', async () => {
    const { client } = await rehearse();
    await expect(vectors(client, [''])).rejects.toBeInstanceOf(OpenAI.BadRequestError);
    const asked = client.embeddings.create({ model: 'text-embedding-3-small', input: 'river' });
    await expect(asked).rejects.toThrow('embeds with sages-embedding');
  });
});
