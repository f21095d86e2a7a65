/** Files as people attach them, and as the hostile among them do. */

import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { createDeflate } from 'node:zlib';

/** What stands on one page of a PDF. */
export interface PdfPage {
  readonly data: Buffer;
  /** e.g. `/Filter /FlateDecode`. */
  readonly filter?: string;
}

export function pageSaying(text: string): PdfPage {
  return { data: Buffer.from(`BT /F1 12 Tf 50 700 Td (${text}) Tj ET`) };
}

/** A page that unpacks to so many megabytes, from a thousandth of them; never held unpacked. */
export async function bombPage(megabytes: number): Promise<PdfPage> {
  const spaces = Buffer.alloc(1_000_000, 0x20);
  const unpacked = Readable.from(Array.from({ length: megabytes }, () => spaces));
  return { data: await buffer(unpacked.pipe(createDeflate())), filter: '/Filter /FlateDecode' };
}

/** @see https://opensource.adobe.com/dc-acrobat-sdk-docs/pdfstandards/PDF32000_2008.pdf */
export function pdfOf(pages: readonly PdfPage[]): Buffer {
  const parts: Buffer[] = [Buffer.from('%PDF-1.4\n')];
  const offsets: number[] = [];
  let length = parts[0]?.length ?? 0;
  const add = (part: Buffer) => {
    parts.push(part);
    length += part.length;
  };
  const object = (number: number, ...body: readonly (string | Buffer)[]) => {
    offsets[number] = length;
    const text = [`${number} 0 obj\n`, ...body, '\nendobj\n'];
    add(Buffer.concat(text.map((part) => Buffer.from(part))));
  };
  const kids = pages.map((_, at) => `${4 + 2 * at} 0 R`).join(' ');
  object(1, '<< /Type /Catalog /Pages 2 0 R >>');
  object(2, `<< /Type /Pages /Count ${pages.length} /Kids [${kids}] >>`);
  object(3, '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>');
  for (const [at, { data, filter = '' }] of pages.entries()) {
    const fonts = '/Resources << /Font << /F1 3 0 R >> >>';
    const page = `/Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] ${fonts}`;
    object(4 + 2 * at, `<< ${page} /Contents ${5 + 2 * at} 0 R >>`);
    const head = `<< /Length ${data.length} ${filter} >>\nstream\n`;
    object(5 + 2 * at, head, data, '\nendstream');
  }
  const start = length;
  const lines = offsets.slice(1).map((offset) => `${String(offset).padStart(10, '0')} 00000 n \n`);
  const table = `xref\n0 ${offsets.length}\n0000000000 65535 f \n${lines.join('')}`;
  add(Buffer.from(`${table}trailer\n<< /Size ${offsets.length} /Root 1 0 R >>\n`));
  add(Buffer.from(`startxref\n${start}\n%%EOF`));
  return Buffer.concat(parts);
}

/** The head of a PNG of this size, and nothing after it. */
export function pngOf(width: number, height: number): Buffer {
  const png = Buffer.alloc(64);
  png.write('\x89PNG\r\n\x1a\n\0\0\0\rIHDR', 'latin1');
  png.writeUInt32BE(width, 16);
  png.writeUInt32BE(height, 20);
  return png;
}
