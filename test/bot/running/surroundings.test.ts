import { expect, test } from 'vitest';
import { rereadPictures } from '../../../src/bot/running/surroundings.ts';
import { readPastTurn } from '../../../src/council/past-turn.ts';
import type { Heard } from '../../../src/domain/heard.ts';
import type { Picture, Source } from '../../../src/domain/source.ts';
import { blindRemark, type ChatModel } from '../../../src/models/chat-model.ts';
import type { Platform } from '../../../src/platforms/platform.ts';
import { answer, scriptedModels } from '../../council/scripted-council.ts';
import { pngOf } from '../../sources/files.ts';
import { person, place, question, startBot } from '../bot-fixture.ts';

const png = pngOf(800, 600);

function giving(bytes: Uint8Array): Platform['openFile'] {
  return async () => ({ status: 'open', stream: streamOf(bytes) });
}

async function* streamOf(bytes: Uint8Array) {
  yield bytes;
}

function attachedAs(source: Source): Heard {
  const { eventId: id, author } = question;
  const message = { id, author, at: 1000, text: '', isMeant: true, sources: [source] } as const;
  return { place: 'test:w:c', of: 'replies', leftOut: 0, messages: [message] };
}

const attached = attachedAs({
  status: 'pointed',
  kind: 'file',
  name: 'chart.png',
  address: 'chart',
});
const asked = { ...question, question: 'Ben: what is this?', heard: attached };

/** The model, which is shown no pictures and says so. */
function blind(model: ChatModel): ChatModel {
  return {
    id: model.id,
    complete: async (request) => ({ ...(await model.complete(request)), remarks: [blindRemark] }),
    async *stream(request) {
      for await (const chunk of model.stream(request)) {
        const remarks = [blindRemark];
        yield chunk.type === 'finished' ? { ...chunk, reply: { ...chunk.reply, remarks } } : chunk;
      }
    },
  };
}

test('the receipt names the sages that could not see', async () => {
  const models = scriptedModels({ sages: { ben: [answer('No.')] } });
  const bot = await startBot({ ...models, sage: (sage) => blind(models.sage(sage)) });
  bot.platform.openFile = giving(png);
  await bot.bot.ask(asked);
  await bot.idle();
  const receipt = await bot.bot.command({ place, person, command: 'receipt', options: {} });
  const told = JSON.stringify(receipt);
  expect(told).toContain('Ben Sage could not see them: its model takes none.');
  expect(told).toMatch(/chart\.png, 1 kB, read .{10,20} UTC, SHA-256 [0-9a-f]{16}…/);
  await bot.shutDown();
});

test('a resumed turn is shown its pictures again, and no others', async () => {
  const models = scriptedModels({ sages: { ben: [answer('No.')] } });
  const bot = await startBot(models);
  bot.platform.openFile = giving(png);
  await bot.bot.ask(asked);
  await bot.idle();
  const [turn] = await bot.store.turns.list(place.threadId, { limit: 1 });
  const record = turn && (await bot.store.turns.read(turn));
  const kept = record && readPastTurn(record).heard;
  expect(JSON.stringify(kept)).not.toContain(png.toString('base64'));
  const again = (openFile: Platform['openFile']): Promise<readonly Picture[]> =>
    rereadPictures(
      kept ?? attached,
      {
        platform: { openFile, linkTo: () => undefined },
        now: Date.now,
        hearing: { sourceChars: 1000 },
        allowed: { attachments: true, links: 'members' },
      },
      new AbortController().signal,
    );
  expect(await again(giving(png))).toHaveLength(1);
  expect(await again(giving(pngOf(801, 600)))).toEqual([]);
  await bot.shutDown();
});

test('what can’t be opened costs the question its file, and not its answer', async () => {
  const models = scriptedModels({ sages: { ben: [answer('No.')] } });
  const bot = await startBot(models);
  bot.platform.openFile = async () => {
    throw new Error('Away.');
  };
  await bot.bot.ask(asked);
  await bot.idle();
  const told = JSON.stringify(models.sage({ key: 'ben' }).requests[0]?.messages);
  expect(told).toContain('I could not read chart.png: it could not be fetched.');
  await bot.shutDown();
});

test('people’s own words are answered without the file beside them, though they begin like ours', async () => {
  const models = scriptedModels({ sages: { ben: [answer('No.')] } });
  const bot = await startBot(models);
  const own = 'What do you make of a move to Lisbon with two children and 40k?';
  await bot.bot.ask({ ...asked, question: own, sages: ['ben'] });
  await bot.idle();
  expect(models.unsaid()).toBe(0);
  await bot.shutDown();
});

test('a file for which the others leave no room is not called read', async () => {
  const models = scriptedModels({ sages: { ben: [answer('No.')] } });
  const bot = await startBot(models);
  const long = Buffer.from('long '.repeat(10_000));
  bot.platform.openFile = giving(long);
  const [message] = attached.messages;
  const sources = ['a', 'b', 'c'].map((name) => {
    return { status: 'pointed', kind: 'file', name: `${name}.txt`, address: name } as const;
  });
  const messages = message ? [{ ...message, sources }] : [];
  await bot.bot.ask({ ...asked, heard: { ...attached, messages } });
  await bot.idle();
  const receipt = await bot.bot.command({ place, person, command: 'receipt', options: {} });
  const told = JSON.stringify([receipt, models.sage({ key: 'ben' }).requests[0]?.messages]);
  expect(told).toContain('b.txt (only its beginning)');
  expect(told).toContain('I could not read c.txt: the texts before it took all the room');
  expect(told).not.toMatch(/c\.txt \(only|name=\\\\?"c\.txt/);
  await bot.shutDown();
});
