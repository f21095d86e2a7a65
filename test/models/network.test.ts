import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createServer as createHttp, type RequestListener } from 'node:http';
import { createServer as createHttps } from 'node:https';
import { connect, type Server } from 'node:net';
import { text as textOf } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import { expect, it, onTestFinished } from 'vitest';
import { sendRequest } from '../../src/models/network.ts';
import { readText } from '../../src/models/response-body.ts';
import { makeAuthority } from '../fakes/certificates.ts';
import { failureOf, modelAt, question } from './ask.ts';

/** Listens on loopback until the test has ended; gives the port. */
async function portOf(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const address = server.address();
  return typeof address === 'object' && address ? address.port : 0;
}

async function urlOf(answer: RequestListener): Promise<string> {
  return `http://127.0.0.1:${await portOf(createHttp(answer))}/v1`;
}

/** What a program writes in a process of its own, in an environment that only a start can give. */
async function writtenBy(
  program: string,
  argument: string,
  environment: NodeJS.ProcessEnv,
): Promise<string> {
  const { PATH } = process.env;
  const child = spawn(process.execPath, ['--input-type=module', '-e', program, argument], {
    cwd: new URL('../..', import.meta.url),
    env: { ...(PATH !== undefined && { PATH }), ...environment },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  return textOf(child.stdout);
}

function pathOf(file: string): string {
  return JSON.stringify(import.meta.resolve(`../../src/models/${file}`));
}

/** What a process that reaches an address tells of it. */
function reachedBy(url: string, environment: NodeJS.ProcessEnv): Promise<string> {
  const program = `
    const { sendRequest } = await import(${pathOf('network.ts')});
    const told = await sendRequest(process.argv[1], { method: 'GET' }).then(
      async ({ status, stream }) => status + ' ' + (await stream.toArray()).join(''),
      (error) => error.code,
    );
    const { Agent, getGlobalDispatcher } = await import('undici');
    process.stdout.write(told + (getGlobalDispatcher() instanceof Agent ? ', by a pool of its own' : ''));
    process.exit();`;
  return writtenBy(program, url, environment);
}

it('goes by the proxy that the environment names, over the pool that all of the process uses', async () => {
  const port = await portOf(createHttp((_request, response) => response.end('Yes.')));
  const asked: (string | undefined)[] = [];
  const proxy = createHttp().on('connect', ({ url }, client) => {
    asked.push(url);
    const server = connect(port, '127.0.0.1', () => {
      client.write('HTTP/1.1 200 OK\r\n\r\n');
      server.pipe(client).pipe(server);
    });
  });
  const environment = {
    NODE_USE_ENV_PROXY: '1',
    HTTP_PROXY: `http://127.0.0.1:${await portOf(proxy)}`,
  };
  expect(await reachedBy('http://models.example/v1/models', environment)).toBe('200 Yes.');
  expect(asked).toEqual(['models.example:80']);
});

it.each(['127.0.0.1', 'localhost'])(
  'names the proxy at %s that refuses connections, without its password',
  async (host) => {
    const gone = createHttp();
    const port = await portOf(gone);
    await new Promise((resolve) => gone.close(resolve));
    const program = `
      const { createOpenAiModel } = await import(${pathOf('openai/openai.ts')});
      const { signal } = new AbortController();
      const options = { provider: 'openai', model: 'gpt-test', baseUrl: process.argv[1] };
      const asked = createOpenAiModel(options).complete({ messages: [], stage: 'sage', signal });
      process.stdout.write(await asked.catch(({ message }) => message));
      process.exit();`;
    const proxy = `http://me:hush@${host}:${port}`;
    const environment = { NODE_USE_ENV_PROXY: '1', HTTPS_PROXY: proxy, HTTP_PROXY: proxy };
    for (const url of ['https://models.example/v1', 'http://models.example/v1']) {
      expect(await writtenBy(program, url, environment)).toMatch(
        new RegExp(
          `^The proxy at (127\\.0\\.0\\.1|::1):${port} refuses connections\\. Start it, or correct HTTPS_PROXY or HTTP_PROXY\\.$`,
        ),
      );
    }
  },
);

it('trusts whom the environment names', async () => {
  const authority = makeAuthority();
  onTestFinished(() => authority.remove());
  const { certificateFile, keyFile } = authority.issue('127.0.0.1');
  const files = { cert: readFileSync(certificateFile), key: readFileSync(keyFile) };
  const port = await portOf(createHttps(files, (_request, response) => response.end('Yes.')));
  const url = `https://127.0.0.1:${port}/v1`;
  const why = 'UNABLE_TO_VERIFY_LEAF_SIGNATURE';
  expect(await reachedBy(url, { NODE_EXTRA_CA_CERTS: authority.file })).toBe('200 Yes.');
  expect(await reachedBy(url, {})).toBe(why);
  const error = await failureOf(modelAt(url).complete(question()));
  expect(error.failure).toBe('unreachable');
  expect(error.message).toBe(
    `The certificate of ${url} is not trusted (${why}). Check the base URL; for an authority of your own, start Council with NODE_EXTRA_CA_CERTS=FILE.`,
  );
});

it('asks for nothing compressed, and gives every header', async () => {
  const url = await urlOf(({ headers }, response) => {
    response.setHeader('set-cookie', ['one=1', 'two=2']);
    response.end(JSON.stringify(headers));
  });
  const reply = await sendRequest(url, { method: 'GET' });
  expect(reply.headers['set-cookie']).toEqual(['one=1', 'two=2']);
  expect(JSON.parse(await readText(reply.stream, 100_000))).toMatchObject({
    'accept-encoding': 'identity',
  });
});

it('names a server that compresses its replies all the same', async () => {
  let status = 200;
  const url = await urlOf((_request, response) => {
    response.writeHead(status, { 'content-encoding': 'gzip', 'content-type': 'application/json' });
    response.end(gzipSync('{}'));
  });
  const { message, isRetryable } = await failureOf(modelAt(url).complete(question()));
  expect(message).toBe(
    `${url} compresses its replies (gzip), which can't be read. Switch that off there, or in the proxy before it.`,
  );
  expect(isRetryable).toBe(false);
  status = 503;
  const refusal = await failureOf(modelAt(url).complete(question()));
  expect(refusal.message).toBe('openai has a fault of its own (503). Ask again a little later.');
});
