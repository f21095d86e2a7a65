/** A body as it goes out to a client that asked for base64: texts are encoded, all else is not. */
export function encoded(body: unknown): unknown {
  if (Array.isArray(body)) return body.map(encoded);
  if (typeof body !== 'object' || body === null || !('result' in body)) return body;
  return { ...body, result: encodedResult(body.result) };
}

function encodedResult(result: unknown): unknown {
  if (Array.isArray(result)) return result.map(encodedResult);
  // The protocol leaves this one as it is.
  if (typeof result !== 'string' || result === 'OK') return result;
  return Buffer.from(result).toString('base64');
}
