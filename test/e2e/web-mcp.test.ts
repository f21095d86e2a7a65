import {
  Client,
  type RequestOptions,
  StreamableHTTPClientTransport,
} from '@modelcontextprotocol/client';
import { LRUCache } from 'lru-cache';
import { describe, expect, onTestFinished, test } from 'vitest';
import { silentLog } from '../../src/domain/log.ts';
import { localCaller } from '../../src/platforms/web/caller.ts';
import { councilServer } from '../../src/platforms/web/mcp.ts';
import { keysIn } from '../platforms/web/keys-in.ts';
import { openWebCouncil } from './open-web.ts';
import { startRehearsedModels } from './rehearsed-models.ts';

async function open(faults?: Parameters<typeof startRehearsedModels>[0]) {
  const models = await startRehearsedModels(faults);
  const { origin, application, web } = await openWebCouncil(models.settings);
  const keys = keysIn(application.store.settings);
  /** Anybody who calls with this key; without one, the person at this machine. */
  const connected = async (workspace?: string) => {
    const requestInit =
      workspace === undefined
        ? {}
        : { headers: { authorization: `Bearer ${(await keyOf(workspace)).secret}` } };
    const client = new Client({ name: 'a test', version: '1' });
    await client.connect(
      new StreamableHTTPClientTransport(new URL(`${origin}/mcp`), { requestInit }),
    );
    onTestFinished(() => client.close());
    return client;
  };
  const keyOf = (workspace: string) =>
    keys.make(
      { name: workspace, workspace, scopes: ['ask', 'read'], limits: {}, requestsPerMinute: 100 },
      Date.now(),
    );
  return { models, web, origin, application, connected };
}

function textOf(result: { readonly content?: unknown }): string {
  const [first] = Array.isArray(result.content) ? result.content : [];
  return first?.type === 'text' ? String(first.text) : '';
}

describe('the council as tools', () => {
  test('lists its sages and its tools', async () => {
    const { connected } = await open();
    const client = await connected();
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual([
      ...['consult_council', 'ask_sage', 'get_turn', 'list_sages'],
    ]);
    // An agent would look for a tool of that name.
    expect(JSON.stringify(tools)).not.toContain('the command preset');
    // A client takes a tool that doesn't say so for one that may destroy something.
    const hints = tools.map(
      ({ annotations }) => annotations?.readOnlyHint ?? annotations?.destructiveHint,
    );
    expect(hints).toEqual([false, false, true, true]);
    const listed = textOf(await client.callTool({ name: 'list_sages', arguments: {} }));
    expect(listed).toContain('- ben: Ben Sage. Counts what a thing costs');
  });

  test('gives a verdict with all answers, and tells how far it is on the way', async () => {
    const { connected } = await open();
    const client = await connected('acme');
    const told: string[] = [];
    const result = await client.callTool(
      { name: 'consult_council', arguments: { question: 'Should we rewrite it?' } },
      { onprogress: ({ message = '' }) => void told.push(message) },
    );
    const text = textOf(result);
    expect(text).toMatch(/^# Verdict\n/);
    expect(text.match(/^### .* Sage$/gm)).toHaveLength(3);
    expect(told).toContain('The chair is writing the verdict.');
    expect(new Set(told).size).toBe(told.length);
    const [, turn] = /Turn ([\w-]+)\./.exec(text) ?? [];
    const again = await client.callTool({ name: 'get_turn', arguments: { turn } });
    expect(textOf(again)).toBe(text);
  });

  test('gives the verdict in the words of its language', async () => {
    const { connected } = await open();
    const client = await connected('acme');
    const asked = { question: 'Sollen wir die Maschine neu bauen?' };
    const text = textOf(await client.callTool({ name: 'consult_council', arguments: asked }));
    expect(text).toMatch(/^# Fazit\n/);
    expect(text).toContain('Sicherheit: ');
  });

  test('has one sage speak alone, in the conversation that is named', async () => {
    const { connected, models } = await open();
    const client = await connected('acme');
    const asked = { sage: 'ben', question: 'What does it cost?', thread: 'plans' };
    const text = textOf(await client.callTool({ name: 'ask_sage', arguments: asked }));
    expect(text).toMatch(/^### Ben Sage\n/);
    expect(text).toContain('pass thread plans');
    expect(Object.keys(models.counts())).toEqual(['sage ben']);
  });

  test('answers with the id of a turn before a client gives up, and the turn goes on', async () => {
    const { web, application } = await open((name) =>
      name === 'sage ada' ? { kind: 'hang' } : undefined,
    );
    const { council } = web;
    const impatient = {
      council,
      caller: localCaller,
      log: silentLog,
      answerWithinMs: 300,
      progressEveryMs: 10,
    };
    const client = new Client({ name: 'a test', version: '1' });
    const { InMemoryTransport } = await import('@modelcontextprotocol/server');
    const [here, there] = InMemoryTransport.createLinkedPair();
    await Promise.all([councilServer(impatient).connect(there), client.connect(here)]);
    const asked = { question: 'Should we rewrite it?' };
    const told: string[] = [];
    const onprogress = ({ message = '' }) => void told.push(message);
    const text = textOf(
      await client.callTool({ name: 'consult_council', arguments: asked }, { onprogress }),
    );
    expect(text).toContain('still at work');
    // Also while nothing happens: some clients wait 30 s, and anew after each progress.
    expect(new Set(told).size).toBeLessThan(told.length);
    const [, turn = ''] = /get_turn with turn ([\w-]+)/.exec(text) ?? [];
    expect(await council.turn(localCaller, turn)).toMatchObject({ turnId: turn });
    await council.stop(localCaller, turn);
    await application.queue.idle();
    const stopped = textOf(await client.callTool({ name: 'get_turn', arguments: { turn } }));
    expect(stopped).toContain('The council was stopped.');
  });

  test('joins a call that is repeated to its turn while that runs, and asks anew afterwards', async () => {
    const { web, models, connected } = await open((name) =>
      name === 'sage ada' ? { kind: 'hang' } : undefined,
    );
    const client = await connected();
    const call = (options: RequestOptions) =>
      client.callTool(
        { name: 'consult_council', arguments: { question: 'Should we rewrite it?' } },
        options,
      );
    const begun = (times: number) =>
      expect.poll(() => models.asked.filter((name) => name === 'sage ada').length).toBe(times);
    const broken = new AbortController();
    const lost = call({ signal: broken.signal });
    await begun(1);
    broken.abort();
    await expect(lost).rejects.toThrow();
    const { promise: isJoined, resolve: onprogress } = Promise.withResolvers<unknown>();
    const repeated = call({ onprogress });
    await isJoined;
    /** Stops the newest turn. @returns What an answer says of it. */
    const stopped = async (turns: number) => {
      const threads = await web.council.threads(localCaller, { limit: 9 });
      expect(threads).toHaveLength(turns);
      const [turn = ''] = threads[0]?.turnIds ?? [];
      await web.council.stop(localCaller, turn);
      return `Turn ${turn}.`;
    };
    const one = await stopped(1);
    expect(textOf(await repeated)).toContain(one);
    const anew = call({});
    await begun(2);
    const other = await stopped(2);
    expect(textOf(await anew)).toContain(other);
  });

  test('gives a result that no client has received to the same call, once', async () => {
    const { web, application, models } = await open((name) =>
      name === 'sage ada' ? { kind: 'hang' } : undefined,
    );
    const { council } = web;
    const shared = {
      council,
      caller: localCaller,
      log: silentLog,
      calls: new LRUCache<string, string>({ max: 9 }),
    };
    const { InMemoryTransport } = await import('@modelcontextprotocol/server');
    const connected = async (waiting: { readonly answerWithinMs?: number }) => {
      const client = new Client({ name: 'a test', version: '1' });
      const [here, there] = InMemoryTransport.createLinkedPair();
      await Promise.all([
        councilServer({ ...shared, ...waiting }).connect(there),
        client.connect(here),
      ]);
      const call = async (name: string, args: Record<string, string>) =>
        textOf(await client.callTool({ name, arguments: args }));
      return { call, ask: () => call('ask_sage', { sage: 'ada', question: 'Why?' }) };
    };
    const impatient = await connected({ answerWithinMs: 1 });
    const patient = await connected({});
    /** Asks anew, and ends the turn before its client hears of it. */
    const missed = async (times: number) => {
      const [, turn = ''] = /get_turn with turn ([\w-]+)/.exec(await impatient.ask()) ?? [];
      await expect.poll(() => models.asked.length).toBe(times);
      await council.stop(localCaller, turn);
      await application.queue.idle();
      return turn;
    };
    expect(await patient.call('get_turn', { turn: await missed(1) })).toContain('was stopped');
    const second = await missed(2);
    expect(await patient.ask()).toContain(`(Turn ${second}.`);
    expect(await missed(3)).not.toBe(second);
  });

  test('says that the council failed, and why', async () => {
    const { connected } = await open(() => ({ kind: 'status', status: 401 }));
    const client = await connected();
    const asked = { name: 'consult_council', arguments: { question: 'Should we rewrite it?' } };
    expect(textOf(await client.callTool(asked))).toMatch(/^The council failed\. \S/);
  });

  test('serves clients of the protocol of 2025, too', async () => {
    const { origin } = await open();
    const send = async (method: string, params: object) => {
      const reply = await fetch(`${origin}/mcp`, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
        },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
      });
      return [reply.status, await reply.text()] as const;
    };
    const [greeted, greeting] = await send('initialize', {
      protocolVersion: '2025-06-18',
      capabilities: {},
      clientInfo: { name: 'old', version: '1' },
    });
    expect([greeted, greeting]).toEqual([
      200,
      expect.stringContaining('"protocolVersion":"2025-06-18"'),
    ]);
    const [called, result] = await send('tools/call', { name: 'list_sages', arguments: {} });
    expect([called, result]).toEqual([200, expect.stringContaining('ben: Ben Sage')]);
  });

  test('says what was wrong, and finds no turn of another workspace', async () => {
    const { connected } = await open();
    const [ours, theirs] = [await connected('acme'), await connected('other')];
    const asked = { sage: 'ben', question: 'Where is the harbour?' };
    const text = textOf(await ours.callTool({ name: 'ask_sage', arguments: asked }));
    const [, turn] = /Turn ([\w-]+)\./.exec(text) ?? [];
    const found = await theirs.callTool({ name: 'get_turn', arguments: { turn } });
    expect(found.isError).toBe(true);
    expect(textOf(found)).toMatch(/^There is no such turn/);
    const nobody = { sage: 'zed', question: 'Why?' };
    const refused = await ours.callTool({ name: 'ask_sage', arguments: nobody });
    expect(refused.isError).toBe(true);
    expect(textOf(refused)).toContain('You can choose from: Ada Sage, Ben Sage, Cleo Sage.');
  });

  test.each([
    ['no JSON', '{', {}],
    ['a list of many calls', JSON.stringify(Array(500).fill({ jsonrpc: '2.0' })), {}],
    ['no message', '{"hello":1}', {}],
    ['another site', '{}', { origin: 'https://evil.example' }],
    ['a key that is none', '{}', { authorization: 'Bearer ck_live_x', 'x-real-ip': '203.0.113.9' }],
  ])('refuses %s without a stack', async (_, body, more) => {
    const { origin } = await open();
    const headers = {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...more,
    };
    const reply = await fetch(`${origin}/mcp`, { method: 'POST', headers, body });
    const text = await reply.text();
    expect(reply.status).toBeGreaterThanOrEqual(400);
    expect(text).not.toMatch(/\.m?[tj]s\b|node:|\bat .*:\d/);
  });
});
