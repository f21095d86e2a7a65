import { once } from 'node:events';
import { expect, onTestFinished, test } from 'vitest';
import { type WebSocket, WebSocketServer } from 'ws';
import { silentLog } from '../../../src/domain/log.ts';
import { socketConnection } from '../../../src/platforms/slack/connection/socket-connection.ts';
import { serve } from '../../fakes/loopback.ts';

/** A connection to a Slack that welcomes so many sockets and turns the others away. */
async function connectionTo({
  welcomed,
  openWithinMs,
}: {
  welcomed: number;
  openWithinMs: number;
}) {
  const turnedAway = Promise.withResolvers<WebSocket>();
  const sockets = new WebSocketServer({ host: '127.0.0.1', port: 0 });
  onTestFinished(() => sockets.close());
  await once(sockets, 'listening');
  sockets.on('connection', (socket) => {
    const isWelcome = sockets.clients.size <= welcomed;
    const refusal = { type: 'disconnect', reason: 'too_many_websockets' };
    socket.send(JSON.stringify(isWelcome ? { type: 'hello' } : refusal));
    if (!isWelcome) turnedAway.resolve(socket);
  });
  const address = sockets.address();
  if (address === null || typeof address === 'string') throw new Error('It listens on no port.');
  const url = `ws://127.0.0.1:${address.port}/link`;
  const { origin } = await serve((_request, response) => {
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ ok: true, url }));
  });
  const connection = socketConnection({
    appToken: 'xapp-1',
    apiUrl: `${origin}/api/`,
    log: silentLog,
    openWithinMs,
    onReconnect: () => undefined,
    onFatal: (error) => expect.unreachable(error.message),
  });
  onTestFinished(() => connection.close());
  return { connection, turnedAway: turnedAway.promise };
}

test('closes a socket that Slack turns away before its hello', async () => {
  const { connection, turnedAway } = await connectionTo({ welcomed: 1, openWithinMs: 5000 });
  await connection.open();
  const refused = await turnedAway;
  if (refused.readyState !== refused.CLOSED) await once(refused, 'close');
  expect(connection.health().isListening).toBe(true);
});

test('says that other processes have all sockets which Slack allows', async () => {
  const { connection } = await connectionTo({ welcomed: 0, openWithinMs: 1000 });
  await expect(connection.open()).rejects.toThrow('ten sockets');
});
