/** The task `mcp`: the council as tools of a program that starts it, over standard input and output. */

import { localCaller } from '../../platforms/web/caller.ts';
import type { Web } from '../../platforms/web/web.ts';
import { openApplication } from '../application.ts';
import { openWeb } from '../platforms.ts';
import type { Surroundings } from '../session.ts';
import { begin } from '../starting.ts';

/** Runs until the client closes its end. Standard output carries the protocol and nothing else. */
export async function mcpTask(around: Surroundings): Promise<void> {
  const { config, input, output, ending } = around;
  const begun = await begin(around, true);
  const { log, starting } = begun;
  let web: Web | undefined;
  await using application = await openApplication({
    ...begun,
    platforms: async (store) => {
      ({ platform: web } = await openWeb(config, undefined, { log, store }));
      return [web];
    },
    takesUp: ({ threadId }) => threadId.startsWith('web:local:'),
  });
  await application.bot.start(starting);
  if (!web || ending.aborted) return;
  const { council } = web;
  const [{ serveStdio, StdioServerTransport }, { answerWithinMs, councilServer }] =
    await Promise.all([
      import('@modelcontextprotocol/server/stdio'),
      import('../../platforms/web/mcp/council-server.ts'),
    ]);
  const asked = new Promise<void>((resolve) => around.onInterrupt(() => resolve()));
  const gone = new Promise<void>((resolve) => input.once('close', resolve).once('end', resolve));
  const serve = () => councilServer({ council, caller: localCaller, log, answerWithinMs });
  const connection = serveStdio(serve, { transport: new StdioServerTransport(input, output) });
  await Promise.race([asked, gone]);
  await connection.close();
}
