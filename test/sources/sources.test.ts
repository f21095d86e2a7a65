import { expect, test } from 'vitest';
import { type PointedSource, readSourceNames } from '../../src/domain/source.ts';
import { readSources } from '../../src/sources/sources.ts';
import { bombPage, pageSaying, pdfOf, pngOf } from './files.ts';

function pointing(names: readonly string[]): readonly PointedSource[] {
  return names.map((name) => ({ status: 'pointed', kind: 'file', name, address: name }));
}

/** Reads files by their names. */
async function readFiles(files: Readonly<Record<string, Uint8Array>>, maxChars = 40_000) {
  const taken = await readSources(pointing(Object.keys(files)), {
    openFile: async (address) => ({ status: 'open', stream: streamOf(files[address]) }),
    maxChars,
    now: () => 1000,
    signal: new AbortController().signal,
  });
  return taken;
}

async function* streamOf(bytes: Uint8Array = new Uint8Array()) {
  for (let at = 0; at < bytes.length; at += 65_536) yield bytes.subarray(at, at + 65_536);
}

/** Why one file was not read. */
async function refusalOf(bytes: Uint8Array): Promise<string | undefined> {
  const [taken] = await readFiles({ 'a.txt': bytes });
  return taken?.source.status === 'unread' ? taken.source.why : undefined;
}

test.each([
  ['UTF-8', Buffer.from('Schöne Grüße\n')],
  ['UTF-8 with its mark', Buffer.from('\ufeffSchöne Grüße\n')],
  ['UTF-16', Buffer.from('\ufeffSchöne Grüße\n', 'utf16le')],
  ['the way of old spreadsheets', Buffer.from('Schöne Grüße\n', 'latin1')],
  ['a terminal’s colours', Buffer.from('\u001b[31mSchöne Grüße\u001b[0m\n')],
])('text in %s is read, with its size and hash', async (_, bytes) => {
  const [taken] = await readFiles({ 'notes.bin': bytes });
  expect(taken?.source).toMatchObject({
    status: 'read',
    text: 'Schöne Grüße\n',
    bytes: bytes.length,
    readAt: 1000,
    sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
  });
  expect(taken?.source).not.toHaveProperty('address');
});

test('a file is read as it is written, not as a page that it quotes', async () => {
  const text = 'Schöne Grüße: <meta charset="iso-8859-1">\n';
  const [taken] = await readFiles({ 'notes.md': Buffer.from(text) });
  expect(taken?.source).toMatchObject({ status: 'read', text });
});

test('the text of a PDF is read, whatever it is called', async () => {
  const pdf = pdfOf([pageSaying('The ferry costs 40k.'), pageSaying('Page two.')]);
  const [taken] = await readFiles({ 'picture.png': pdf });
  expect(taken?.source).toMatchObject({
    status: 'read',
    text: 'The ferry costs 40k.\n\nPage two.',
  });
});

test('a picture is shown to models, and kept without its bytes', async () => {
  const png = pngOf(800, 600);
  const [taken] = await readFiles({ 'chart.txt': png });
  expect(taken?.source).toMatchObject({ status: 'picture', width: 800, height: 600 });
  expect(taken?.picture).toEqual({ mediaType: 'image/png', base64: png.toString('base64') });
  expect(JSON.stringify(taken?.source)).not.toContain(png.toString('base64'));
});

const webp = (chunk: string) => Buffer.concat([Buffer.from('RIFF....WEBP'), hex(chunk)]);
const hex = (digits: string) => Buffer.from(digits.padEnd(60, '0'), 'hex');

test.each([
  // A photo: an EXIF segment, fill bytes, then the frame of a progressive picture.
  ['image/jpeg', hex('ffd8 ffe1 0006 45786966 ffff c2 0011 08 0004 0006 03'.replaceAll(' ', ''))],
  ['image/gif', Buffer.concat([Buffer.from('GIF89a'), hex('06000400')])],
  ['image/webp', webp('56503820180000003001009d012a06000400')],
  ['image/webp', webp('5650384c180000002f05c00000')],
  ['image/webp', webp('56503858 0a000000 10000000 050000 030000'.replaceAll(' ', ''))],
])('a picture is known by its bytes, and its size in pixels: %s', async (mediaType, bytes) => {
  const [taken] = await readFiles({ 'a.txt': bytes });
  expect(taken?.source).toMatchObject({ status: 'picture', mediaType, width: 6, height: 4 });
});

/** Says 你好 in a font that is not embedded, without a map to Unicode. */
function chinesePdf(): Buffer {
  const system = '/CIDSystemInfo << /Registry (Adobe) /Ordering (GB1) /Supplement 2 >>';
  const letters = `<< /Type /Font /Subtype /CIDFontType0 /BaseFont /STSong-Light ${system} >>`;
  const font = `/Type0 /BaseFont /STSong-Light /Encoding /UniGB-UCS2-H /DescendantFonts [${letters}]`;
  const pdf = pdfOf([pageSaying('x')])
    .toString('latin1')
    .replace('(x)', '<4F60597D>');
  return Buffer.from(pdf.replace('/Type1 /BaseFont /Helvetica', font), 'latin1');
}

test.each([
  ['a program', Buffer.from('\x7fELF\x02\x01\x01\0\0\0\0\0\0\0\0\0', 'latin1'), /neither text/],
  ['an archive', Buffer.from('PK\x03\x04\x14\0\0\0\x08\0', 'latin1'), /neither text/],
  [
    'Chinese in GBK',
    Buffer.from(
      'bbe1d2e9bcc7c2bca3baced2c3c7d3a6b8c3d6d8d0b4d2fdc7e6c2f0a3bfb7d1d3c3cac734306ba1a3',
      'hex',
    ),
    /save it in UTF-8/,
  ],
  [
    'Japanese in Shift-JIS',
    Buffer.from(
      '8b638e96985e8146834783938357839382f08f9182ab92bc82b782d782ab82a9814294ef977082cd34306b8142',
      'hex',
    ),
    /save it in UTF-8/,
  ],
  [
    'Russian in Windows-1251',
    Buffer.from('cff0eef2eeeaeeeb3a20efe5f0e5efe8f1e0f2fc20ebe820e4e2e8e6eeea3f', 'hex'),
    /save it in UTF-8/,
  ],
  ['nothing', Buffer.from(' \n'), /nothing in it/],
  ['a PDF that is none', Buffer.from('%PDF-1.7\nHello'), /the PDF is damaged/],
  ['a PDF of scans', pdfOf([{ data: Buffer.alloc(0) }]), /no text in it/],
  ['a PDF in an old encoding of Chinese', chinesePdf(), /or lack the tables for their characters/],
  ['10,000 pages', pdfOf(Array.from({ length: 10_000 }, () => pageSaying('x'))), /10000 pages/],
  ['a picture of 50 megapixels', pngOf(10_000, 5000), /50 megapixels/],
  ['a picture without a size', pngOf(0, 0), /the picture is damaged/],
  ['11 MB', Buffer.alloc(11_000_000, 0x61), /larger than 10 MB/],
])('of %s it is said why it is not read', async (_, bytes, why) => {
  expect(await refusalOf(bytes)).toMatch(why);
});

test('what unpacks without measure is given up before it takes that much', {
  timeout: 60_000,
}, async () => {
  const bomb = pdfOf([await bombPage(600)]);
  expect(bomb.length).toBeLessThan(1_000_000);
  let most = 0;
  const before = process.memoryUsage().rss;
  const watch = setInterval(() => {
    most = Math.max(most, process.memoryUsage().rss - before);
  }, 5);
  // Beside other tests on a busy machine, its time is up first.
  expect(await refusalOf(bomb)).toMatch(/unpacks to more than I can read|takes too long to read/);
  clearInterval(watch);
  // Its limit of 192 MB, and what is taken until it is noticed.
  expect(most).toBeLessThan(500 * 2 ** 20);
});

test('a stream without end is not read to its end', async () => {
  let given = 0;
  async function* endless() {
    for (;;) {
      given += 1_000_000;
      yield new Uint8Array(1_000_000);
    }
  }
  const [taken] = await readSources(pointing(['a']), {
    openFile: async () => ({ status: 'open', stream: endless() }),
    maxChars: 10,
    now: Date.now,
    signal: new AbortController().signal,
  });
  expect(taken?.source).toMatchObject({ status: 'unread', why: 'it is larger than 10 MB' });
  expect(given).toBe(11_000_000);
});

test('five files are read, and the others are named', async () => {
  const names = ['a', 'b', 'c', 'd', 'e', 'f'];
  const taken = await readFiles(Object.fromEntries(names.map((name) => [name, Buffer.from(name)])));
  expect(taken.map(({ source }) => source.status)).toEqual([
    ...Array.from({ length: 5 }, () => 'read'),
    'unread',
  ]);
});

test('of long texts the beginnings are read, within what there is for all of them', async () => {
  const long = Buffer.from('long '.repeat(10_000));
  const taken = await readFiles({ a: long, b: long, c: long }, 30_000);
  const lengths = taken.map(({ source }) => (source.status === 'read' ? source.text.length : -1));
  expect(lengths).toEqual([20_000, 10_000, 0]);
  expect(taken.every(({ source }) => 'isCut' in source)).toBe(true);
});

test('of a long log the end is read, where it says what happened', async () => {
  const log = Buffer.from(`started\n${'all is well\n'.repeat(9000)}FATAL: the disk is full\n`);
  const [taken] = await readFiles({ 'app.log': log });
  expect(taken?.source).toMatchObject({
    text: expect.stringMatching(/FATAL: the disk is full\n$/),
  });
  expect(readSourceNames(taken ? [taken.source] : [])).toEqual(['app.log (only its end)']);
});

test('pictures of one question together have a limit', async () => {
  const large = Buffer.concat([pngOf(100, 100), Buffer.alloc(6_000_000)]);
  const taken = await readFiles({ a: large, b: large });
  expect(taken.map(({ source }) => source.status)).toEqual(['picture', 'unread']);
});

test('of a file that takes its time that is said', async () => {
  const [taken] = await readSources(pointing(['a']), {
    openFile: () => Promise.reject(new DOMException('Late.', 'TimeoutError')),
    maxChars: 10,
    now: Date.now,
    signal: new AbortController().signal,
  });
  expect(taken?.source).toMatchObject({ status: 'unread', why: 'it took too long to come' });
});

test('a question that no one wants any more reads nothing more', async () => {
  const gone = new AbortController();
  const opened: string[] = [];
  const reading = readSources(pointing(['a', 'b']), {
    openFile: async (address, signal) => {
      opened.push(address);
      gone.abort(new Error('Stopped.'));
      signal.throwIfAborted();
      return { status: 'open', stream: streamOf() };
    },
    maxChars: 10,
    now: Date.now,
    signal: gone.signal,
  });
  await expect(reading).rejects.toThrow('Stopped.');
  expect(opened).toEqual(['a']);
});
