import { createHmac } from 'node:crypto';

/**
 * The headers with which Slack signs a request.
 *
 * @param atMs - When it is signed; apps refuse what is older than five minutes.
 */
export function signedHeaders(secret: string, body: string, atMs: number) {
  const timestamp = Math.floor(atMs / 1000).toString();
  const digest = createHmac('sha256', secret).update(`v0:${timestamp}:${body}`).digest('hex');
  return { 'x-slack-request-timestamp': timestamp, 'x-slack-signature': `v0=${digest}` };
}
