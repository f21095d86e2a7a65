import { describe, expect, test } from 'vitest';
import type { TurnEvent } from '../../../src/council/events.ts';
import type { PastTurn } from '../../../src/council/past-turn.ts';
import { AwayError } from '../../../src/domain/failure.ts';
import type { WebTurn } from '../../../src/platforms/web/web-council.ts';
import {
  answered,
  concluded,
  docketed,
  marcus,
  ranked,
  rebutted,
  reviewed,
  taleb,
} from '../terminal/turn-events.ts';
import { askedTurn, keyed, noShares, openWeb, raw, webRecordsOf } from './web-world.ts';

const hostile = `</div></main><script>alert(1)</script><img src=x onerror=alert(2)> " ' \u202e\u0007 [a](javascript:alert(3))`;

type Of<Type> = Extract<TurnEvent, { readonly type: Type }>;

/** A turn at depth `deep` in which everybody writes the same. */
function endedTurn(text: string, workspace = 'local'): WebTurn {
  const turn = askedTurn('t1', workspace);
  const docket = docketed(text) as Of<'docketed'>;
  const labels = [{ label: 'A', sage: 'nassim_taleb' }];
  const seats = [marcus, { ...taleb, sage: { ...taleb.sage, name: text }, focus: text }];
  const { type: _, ...places } = ranked as Of<'ranked'>;
  const said = { consensus: [text], disagreements: [text], minorityReport: text, notice: text };
  const past: PastTurn = {
    ...turn.past,
    request: {
      ...{ ...turn.past.request, question: text, preset: text },
      author: { id: 'ada', name: `Ada ${text}` },
    },
    seated: { seats, how: 'moderated', dropped: [], note: text, latencyMs: 1 },
    answers: [
      (answered('marcus_aurelius', text, { status: 'failed' }) as Of<'answered'>).answer,
      (answered('nassim_taleb', text) as Of<'answered'>).answer,
    ],
    reviews: [(reviewed('nassim_taleb', { text, labels }) as Of<'reviewed'>).review],
    round: {
      docket: docket.docket,
      rebuttals: [(rebutted('nassim_taleb', 'held', text) as Of<'rebutted'>).rebuttal],
      recasts: [],
    },
    ranked: places,
    verdict: (concluded({ verdict: text, ...said, nextQuestions: [text] }) as Of<'concluded'>)
      .verdict,
    ended: { explanation: '', stagesMs: {}, interactionsRemembered: 0 },
  };
  return { ...turn, status: 'ended', outcome: 'answered', endedAt: 2, past };
}

describe('the page of a turn', () => {
  test('lets nothing work that people or models wrote', async () => {
    const turn = endedTurn(hostile);
    const { port } = await openWeb([turn], { shares: { ...noShares, find: async () => turn } });
    const shared = `/shared/${'a'.repeat(32)}`;
    for (const path of ['/turns/t1', shared, '/', '/?search=%3Cscript%3Ealert(1)%22']) {
      const { body, status } = await raw(port, path);
      expect(status).toBe(200);
      expect(body.match(/<script\b[^>]*>/g)).toEqual([
        expect.stringMatching(/^<script type="module" src="\/assets\/council-[\w-]+\.js">$/),
      ]);
      expect(body).not.toMatch(/<img|<[^>]*\son\w+=|href="javascript:|\u202e|\p{Cc}(?<!\n)/u);
    }
  });

  test('tells first what is wrong, then the verdict, and has a part for everything', async () => {
    const { port } = await openWeb([endedTurn('Wait a year.')]);
    const { body } = await raw(port, '/turns/t1');
    const order = ['class="notices', 'Verdict', 'What the sages say', 'What they dispute'];
    const parts = [...order, 'How they ranked each other, blind', '1 blind review'];
    const places = parts.map((part) => body.indexOf(part));
    expect(places).toEqual(places.toSorted((one, other) => one - other));
    expect(places).not.toContain(-1);
    expect(body).toContain('Marcus Aurelius failed');
    expect(body).toMatch(/Ballot as read[\s\S]*Who was who[\s\S]*A: Wait a year\./);
  });

  test('keeps the ranking where the chair was stopped before its verdict', async () => {
    const { verdict: _, ...past } = endedTurn('Wait a year.').past;
    const turn: WebTurn = { ...endedTurn('Wait.'), outcome: 'stopped', past };
    const { port } = await openWeb([turn]);
    expect((await raw(port, '/turns/t1')).body).toContain('How they ranked each other, blind');
  });

  test('leads on: to what the verdict suggests, a sage again, a follow-up in its thread', async () => {
    const { port } = await openWeb([endedTurn('Wait.')]);
    const { body } = await raw(port, '/turns/t1');
    expect(body).toContain('action="/turns/t1/next"');
    expect(body).toContain('action="/turns/t1/again"');
    expect(body).toContain('<input type="hidden" name="thread" value="t1">');
  });

  test('offers to go deeper again only where the contradictions could not be determined', async () => {
    const whole = endedTurn('Wait.');
    const { round } = whole.past;
    if (!round) throw new Error('The turn has no round.');
    const failure = { reason: 'timed_out' as const, explanation: 'It took too long.' };
    const failed = { ...round, docket: { ...round.docket, failure }, rebuttals: [] };
    const offers = async (turn: WebTurn) => {
      const { port } = await openWeb([turn]);
      return (await raw(port, '/turns/t1')).body.includes('action="/turns/t1/deeper"');
    };
    expect(await offers(whole)).toBe(false);
    expect(await offers({ ...whole, past: { ...whole.past, round: failed } })).toBe(true);
  });

  test('is given to others without a name, without a way to do anything, and without the thread', async () => {
    const turn = endedTurn('Wait.');
    const { port } = await openWeb([turn], {
      shares: { ...noShares, find: async (secret) => (secret === 'known' ? turn : undefined) },
    });
    const { body, status } = await raw(port, '/shared/known');
    expect(status).toBe(200);
    expect(body).not.toMatch(/Ada|<form|\/threads\/|\/turns\//);
    expect((await raw(port, '/shared/unknown')).status).toBe(404);
  });
});

test('a long list of conversations leads to the older ones, within a search too', async () => {
  const all = Array.from({ length: 50 }, (_, at) => {
    return { thread: `plan-${50 - at}`, title: `Plan ${50 - at}?`, askedAt: 50 - at, turnIds: [] };
  });
  const { port } = await openWeb([], {
    records: {
      ...webRecordsOf([]),
      threads: async (_, { limit, search = '', before = 100 }) =>
        all
          .filter(({ title, askedAt }) => title.includes(search) && askedAt < before)
          .slice(0, limit),
    },
  });
  const { body } = await raw(port, '/?search=Plan');
  const [, older = ''] = /href="([^"]*)">Older conversations</.exec(body) ?? [];
  expect(older).toBe('/?search=Plan&amp;before=11#threads');
  const { body: next } = await raw(port, '/?search=Plan&before=11');
  expect(body).not.toContain('Plan 10?');
  expect(next).toMatch(/Plan 10\?[\s\S]*Plan 1\?/);
  expect(next).not.toContain('Older conversations');
});

test('a long conversation leads to its older questions, by links that stay the same', async () => {
  const threadId = 'web:local:council:plans';
  const numbered = Array.from({ length: 120 }, (_, at) => {
    return { ...askedTurn(`turn-${at + 1}`), threadId, createdAt: at + 1 };
  });
  const { port } = await openWeb(numbered.toReversed());
  const read = async (path: string) => {
    const { body } = await raw(port, path);
    const shown = Array.from(body.matchAll(/<h2><a href="\/turns\/turn-(\d+)"/g), ([, at]) => at);
    const [, older] = /href="([^"]+)">Older questions/.exec(body) ?? [];
    return { shown: [shown.length, shown[0], shown.at(-1)], older, body };
  };
  const newest = await read('/threads/plans');
  expect(newest).toMatchObject({ shown: [50, '71', '120'], older: '/threads/plans?before=71' });
  expect(newest.body).toContain('Ask a follow-up');
  expect(newest.body).not.toContain('Newest questions');
  const middle = await read('/threads/plans?before=71');
  expect(middle).toMatchObject({ shown: [50, '21', '70'], older: '/threads/plans?before=21' });
  expect(middle.body).toContain('<a href="/threads/plans">Newest questions</a>');
  expect(middle.body).not.toContain('Ask a follow-up');
  const oldest = await read('/threads/plans?before=21');
  expect([oldest.shown, oldest.older]).toEqual([[20, '1', '20'], undefined]);
  expect((await read('/threads/plans?before=soon')).shown).toEqual(newest.shown);
});

test('an unknown address answers a browser with a page, and a program with JSON', async () => {
  const { port } = await openWeb([]);
  const page = await raw(port, '/nothing', { headers: { accept: 'text/html,*/*;q=0.8' } });
  expect([page.status, page.body]).toEqual([404, expect.stringContaining('<h1>There is no page')]);
  const { status, body } = await raw(port, '/nothing');
  expect([status, JSON.parse(body)]).toMatchObject([404, { error: { code: 'not_found' } }]);
});

test('what is refused before it reaches a page is told to a browser as one', async () => {
  const reader = { ...keyed('k1', 'acme', 'ask', 'read'), requestsPerMinute: 1 };
  const { port } = await openWeb([], { keyed: { ck_1: reader } });
  const browser = { ...headers, accept: 'text/html,*/*;q=0.8' };
  const once = { ...browser, connection: 'close' };
  const long = { method: 'POST', headers: once, body: `question=${'a'.repeat(300_000)}` };
  const { status, body } = await raw(port, '/ask', long);
  expect([status, body]).toEqual([413, expect.stringContaining('<h1>Requests may have at most')]);
  const often = { headers: { ...browser, authorization: 'Bearer ck_1' } };
  await raw(port, '/', often);
  const late = await raw(port, '/', often);
  expect([late.status, late.body]).toEqual([429, expect.stringContaining('<h1>This key may make')]);
  expect(Number(late.headers['retry-after'])).toBeGreaterThan(0);
  const program = await raw(port, '/api/sages', often);
  expect([program.status, JSON.parse(program.body).error.code]).toEqual([
    ...[429, 'rate_limit_exceeded'],
  ]);
});

test('a recorded turn gets no link for others', async () => {
  const turn = { ...endedTurn('Wait.'), threadId: 'recorded:council:all:t1' };
  const made: string[] = [];
  const { port } = await openWeb([], {
    shares: {
      ...noShares,
      make: async ({ turnId }) => {
        made.push(turnId);
        return 'secret';
      },
    },
    records: {
      turn: async () => turn,
      threads: async () => [],
      turnIds: async () => [],
      scoredTurns: async () => [],
      ingest: async () => ({ added: 0, known: 0, expired: 0 }),
    },
  });
  expect((await raw(port, '/turns/t1/share', { method: 'POST' })).status).toBe(303);
  expect(made).toEqual([]);
});

describe('who gets in', () => {
  const ours = keyed('k1', 'acme', 'ask', 'read');
  const reader = keyed('k2', 'acme', 'read');
  const keys = { ck_ours: ours, ck_reader: reader };
  const options = { publicUrl: 'http://council.example', keyed: keys };

  async function opened() {
    return openWeb([endedTurn('Wait.', 'acme')], options);
  }

  async function signIn(port: number, key: string) {
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    const reply = await raw(port, '/sign-in', { method: 'POST', headers, body: `key=${key}` });
    const [cookie = ''] = reply.headers['set-cookie'] ?? [];
    return { ...reply, cookie: cookie.split(';')[0] ?? '' };
  }

  async function landing(to: string) {
    const { port } = await opened();
    const form = { method: 'POST', headers, body: 'key=ck_ours' };
    return (await raw(port, `/sign-in?${new URLSearchParams({ to })}`, form)).headers.location;
  }

  test('is asked for a key first, and shown nothing', async () => {
    const { port } = await opened();
    for (const path of ['/', '/turns/t1', '/turns/t1/live', '/threads/t1', '/settings']) {
      const { status, headers, body } = await raw(port, path);
      expect([status, headers.location, body]).toEqual([303, '/sign-in', '']);
    }
    const { status, body } = await signIn(port, 'ck_other');
    expect(status).toBe(401);
    expect(body).toContain('npm run council -- keys make NAME');
  });

  test('is told as JSON where a program asks, e.g. one that looks for a sign-in by OAuth', async () => {
    const { port } = await opened();
    const asked = { headers: { accept: 'application/json' } };
    for (const [path, options] of [
      ['/.well-known/oauth-authorization-server', asked],
      ['/register', { ...asked, method: 'POST', body: '{}' }],
    ] as const) {
      const { status, body } = await raw(port, path, options);
      expect([path, status]).toEqual([path, 401]);
      expect(JSON.parse(body)).toMatchObject({ error: { code: 'invalid_api_key' } });
    }
  });

  test('may try few wrong keys a minute, and takes nothing from other addresses', async () => {
    const { port } = await opened();
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    const tried = async (key: string, from: string) => {
      const sent = { ...headers, 'x-forwarded-for': `made up, ${from}` };
      const options = { method: 'POST', headers: sent, body: `key=${key}` };
      const { status, headers: said } = await raw(port, '/sign-in', options);
      return [status, Number(said['retry-after'] ?? 0) > 0];
    };
    for (let time = 0; time < 9; time += 1) await tried('ck_other', '203.0.113.9');
    // Who gets in begins anew.
    expect(await tried('ck_ours', '203.0.113.9')).toEqual([303, false]);
    for (let time = 0; time < 10; time += 1) {
      expect(await tried('ck_other', '203.0.113.9')).toEqual([401, false]);
    }
    expect(await tried('ck_ours', '203.0.113.9')).toEqual([429, true]);
    expect(await tried('ck_ours', '203.0.113.8')).toEqual([303, false]);
  });

  test.each(['//evil', '/\\evil', 'https://evil', '/\t/evil', '/a\r\nSet-Cookie: a=b', ' //evil'])(
    'lands on this site only, whatever the link says: %j',
    async (path) => expect(await landing(path)).toBe('/'),
  );

  test('lands where the link led', async () => {
    expect(await landing('/turns/t1?a=1')).toBe('/turns/t1?a=1');
    expect(await landing('')).toBe('/');
  });

  test('is sent from a link to the form, which keeps where it led, after a wrong key, too', async () => {
    const { port } = await opened();
    const browser = { headers: { accept: 'text/html,*/*;q=0.8' } };
    const location = '/sign-in?to=%2Fturns%2Ft1%3Fa%3D1';
    expect((await raw(port, '/turns/t1?a=1', browser)).headers.location).toBe(location);
    expect((await raw(port, '/', browser)).headers.location).toBe('/sign-in');
    const wrong = { method: 'POST', headers, body: 'key=ck_other' };
    for (const { body } of [await raw(port, location), await raw(port, location, wrong)])
      expect(body).toContain(`action="${location}"`);
  });

  test('goes on with the session, and not without it', async () => {
    const { port } = await opened();
    const { cookie } = await signIn(port, 'ck_ours');
    expect((await raw(port, '/turns/t1', { headers: { cookie } })).status).toBe(200);
    const out = await raw(port, '/sign-out', { method: 'POST', headers: { cookie } });
    expect(out.headers['set-cookie']?.[0]).toMatch(/Max-Age=0/);
  });

  test('finds nothing of another workspace', async () => {
    const { port } = await openWeb([endedTurn('Wait.', 'acme')]);
    for (const path of ['/turns/t1', '/turns/t1/live', '/turns/t1/receipt', '/turns/t1/export']) {
      expect((await raw(port, path)).status).toBe(404);
    }
    expect((await raw(port, '/turns/t1/share', { method: 'POST' })).status).toBe(404);
  });

  test('may do what the key may', async () => {
    const { port, asked, stopped } = await opened();
    const { cookie } = await signIn(port, 'ck_reader');
    const headers = { cookie, 'content-type': 'application/x-www-form-urlencoded' };
    const posted = (path: string) =>
      raw(port, path, { method: 'POST', headers, body: 'question=Why' });
    for (const path of ['/ask', '/turns/t1/stop', '/turns/t1/share', '/turns/t1/unshare']) {
      expect((await posted(path)).status).toBe(403);
    }
    expect([asked, stopped]).toEqual([[], []]);
    expect((await raw(port, '/turns/t1', { headers })).body).not.toContain('action="/turns/');
  });
});

test('a key that may not read sees no settings, and pays for no question that it could not follow', async () => {
  const { port, asked } = await openWeb([], { keyed: { ck_asker: keyed('k3', 'acme', 'ask') } });
  const authorization = 'Bearer ck_asker';
  const form = { method: 'POST', headers: { ...headers, authorization }, body: 'question=Why' };
  const call = { name: 'consult_council', arguments: { question: 'Why?' } };
  const consult = await raw(port, '/mcp', {
    method: 'POST',
    headers: {
      ...{ authorization, 'content-type': 'application/json' },
      accept: 'application/json, text/event-stream',
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: call }),
  });
  expect(consult.body).toContain('This key may not read.');
  expect((await raw(port, '/ask', form)).status).toBe(403);
  expect((await raw(port, '/settings', { headers: { authorization } })).status).toBe(403);
  expect(asked).toEqual([]);
});

const headers = { 'content-type': 'application/x-www-form-urlencoded' };
const sent = (port: number, body: string) =>
  raw(port, '/ask', { method: 'POST', headers, body: new URLSearchParams(body).toString() });
const wished = 'question=Why%3F&thread=t1&depth=quick&preset=hiring&sages=ada&sages=ben';

test('a preset, sages and a depth are chosen in the form', async () => {
  const { port, asked } = await openWeb();
  const { body } = await raw(port, '/');
  expect(body).toContain('<option value="hiring">Hiring</option>');
  expect(body).toContain('<input type="checkbox" name="sages" value="ada"> Ada');
  expect((await sent(port, wished)).headers.location).toBe('/turns/turn-1');
  await sent(port, 'question=+Why%3F+&depth=&preset=');
  const choice = { preset: 'hiring', sages: ['ada', 'ben'], depth: 'quick' };
  expect(asked[0]).toMatchObject({ question: 'Why?', ...choice });
  expect(asked[0]?.threadId).toBe('web:local:council:t1');
  expect(asked[1]?.question).toBe('Why?');
  for (const name of Object.keys(choice)) expect(asked[1]).not.toHaveProperty(name);
});

describe('a question that is refused', () => {
  const reason = 'There is no sage <ben>: see `sages`. It renews <t:1795305600>.';
  const refusing = (isAway: boolean) => ({
    ask: async () => ({ status: 'refused', reason, ...(isAway && { isAway }) }) as const,
  });
  const kept = [
    ...['>\nWhy?</textarea>', 'name="thread" value="t1"', '<option value="quick" selected>'],
    ...['<option value="hiring" selected>', 'value="ada" checked', 'value="ben" checked'],
  ];

  test('comes back in its form, with the reason beside it', async () => {
    const { port } = await openWeb([], {}, refusing(false));
    const { status, body } = await sent(port, wished);
    expect(status).toBe(422);
    for (const part of kept) expect(body).toContain(part);
    expect(body).toMatch(
      /id="problem" role="alert">There is no sage &lt;ben&gt;: see <code>sages<\/code>\. It renews 2026-11-22 00:00 UTC\./,
    );
    expect(body).toMatch(/<textarea[^>]* aria-describedby="problem"/);
  });

  test('is kept too while the store is away and nothing else can be shown', async () => {
    const away = async (): Promise<never> => {
      throw new AwayError('10.0.0.1 does not answer.');
    };
    const { port } = await openWeb([], {}, { ...refusing(true), settings: away, suggest: away });
    const { status, body, headers: said } = await sent(port, wished);
    expect([status, said['retry-after']]).toEqual([503, '30']);
    for (const part of kept) expect(body).toContain(part);
  });
});

test('a reason that moderator and fallback council failed for alike is told once at the top', async () => {
  const reason = 'openai gets more requests than it allows for this key (429). Ask again.';
  const failed = answered('nassim_taleb', `Error: ${reason}`, { status: 'failed' });
  const note = `The moderator failed: ${reason}`;
  const turn = askedTurn('t1', 'local', {
    seated: { seats: [taleb], how: 'fallback', because: 'failed', dropped: [], note, latencyMs: 1 },
    answers: [(failed as Of<'answered'>).answer],
    ended: { explanation: reason, stagesMs: {}, interactionsRemembered: 0 },
  });
  const { port } = await openWeb([{ ...turn, status: 'ended', outcome: 'failed', endedAt: 2 }]);
  const { body } = await raw(port, '/turns/t1');
  const notices = /<ul class="notices[\s\S]*?<\/ul>/.exec(body)?.[0] ?? '';
  expect(notices.split(reason)).toHaveLength(2);
  expect(notices).toContain('The moderator failed.');
  expect(notices).toContain('Nassim Taleb failed');
});

test.each([
  ['feedback', 'rating=good', 'Not rated'],
  ['deeper', '', 'Not asked'],
])('a refused %s says what did not happen', async (command, form, heading) => {
  const refused = async () => ({ blocks: [], isPrivate: true, isRefusal: true }) as const;
  const { port } = await openWeb([endedTurn('Wait.')], {}, { command: refused });
  const reply = await raw(port, `/turns/t1/${command}`, { method: 'POST', headers, body: form });
  expect([reply.status, reply.body]).toEqual([422, expect.stringContaining(`<h1>${heading}</h1>`)]);
  expect(reply.body).toContain(`<title>${heading}`);
});

test('what is no question is refused in words', async () => {
  const { port, asked } = await openWeb();
  const { status, body } = await sent(port, 'question=+');
  expect([status, asked]).toEqual([400, []]);
  expect(body).toContain('The question is empty.');
  const deepest = await sent(port, 'question=Why&depth=deepest');
  expect(deepest.status).toBe(400);
  expect(deepest.body).toContain('There is no such depth.');
  const long = await raw(port, '/ask', { method: 'POST', headers, body: 'x'.repeat(300_000) });
  expect(long.status).toBe(413);
});
