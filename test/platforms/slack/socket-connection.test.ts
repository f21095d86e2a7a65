import { once } from 'node:events';
import { expect, onTestFinished, test } from 'vitest';
import { type WebSocket, WebSocketServer } from 'ws';
import { silentLog } from '../../../src/domain/log.ts';
import { socketConnection } from '../../../src/platforms/slack/connection/socket-connection.ts';
import { serve } from '../../fakes/loopback.ts';

test('closes a socket that Slack turns away before its hello', async () => {
  const turnedAway = Promise.withResolvers<WebSocket>();
  const sockets = new WebSocketServer({ host: '127.0.0.1', port: 0 });
  onTestFinished(() => sockets.close());
  await once(sockets, 'listening');
  sockets.on('connection', (socket) => {
    const isFirst = sockets.clients.size === 1;
    const refusal = { type: 'disconnect', reason: 'too_many_websockets' };
    socket.send(JSON.stringify(isFirst ? { type: 'hello' } : refusal));
    if (!isFirst) turnedAway.resolve(socket);
  });
  const address = sockets.address();
  if (address === null || typeof address === 'string') throw new Error('It listens on no port.');
  const url = `ws://127.0.0.1:${address.port}/link`;
  const { origin } = await serve((_request, response) => {
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ ok: true, url }));
  });
  const connection = socketConnection({
    ...{ appToken: 'xapp-1', apiUrl: `${origin}/api/`, log: silentLog, openWithinMs: 5000 },
    onReconnect: () => undefined,
    onFatal: (error) => expect.unreachable(error.message),
  });
  onTestFinished(() => connection.close());
  await connection.open();
  const refused = await turnedAway.promise;
  if (refused.readyState !== refused.CLOSED) await once(refused, 'close');
  expect(connection.health().isListening).toBe(true);
});
