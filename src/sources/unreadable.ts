/** Something can't be read. The message is for people and follows a colon, e.g. `it is larger than 10 MB`. */
export class Unreadable extends Error {
  override readonly name = 'Unreadable';
}

/**
 * All that a stream gives, without ever holding more than it may.
 *
 * @throws {Unreadable} as soon as there is more; the rest is not read. What the stream throws.
 */
export async function readCapped(
  stream: AsyncIterable<Uint8Array>,
  maxBytes: number,
): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of stream) {
    size += chunk.byteLength;
    if (size > maxBytes) throw new Unreadable(`it is larger than ${maxBytes / 1e6} MB`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
