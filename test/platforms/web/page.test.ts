import { describe, expect, test } from 'vitest';
import { stoppedEnd } from '../../../src/council/events.ts';
import { changedBy } from '../../../src/platforms/web/page/turn-regions.ts';
import { applyEvent, initialView } from '../../../src/platforms/web/page/turn-view.ts';
import { Uploads } from '../../../src/platforms/web/question-fields.ts';
import { conversationOf } from '../../../src/platforms/web/v1/conversation.ts';
import type { WebTurn } from '../../../src/platforms/web/web-council.ts';
import { answered, taleb } from '../terminal/turn-events.ts';
import { endedTurn, type Of } from './ended-turn.ts';
import {
  askedTurn,
  formHeaders as headers,
  keyed,
  noShares,
  openWeb,
  raw,
  v1Limits,
  webRecordsOf,
} from './web-world.ts';

const hostile = `</div></main><script>alert(1)</script><img src=x onerror=alert(2)> " ' \u202e\u0007 [a](javascript:alert(3))`;

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

  test.each([
    ['Das ist nicht so einfach, und ich würde noch ein Jahr warten.', ' lang="de"'],
    ['これはどう思いますか。', ' lang="ja"'],
    ['That is not so easy, and I would wait a year.', ''],
  ])('says in which language something was said, for screen readers: %s', async (said, lang) => {
    const { port } = await openWeb([endedTurn(said)]);
    const { body } = await raw(port, '/turns/t1');
    const tags = ['<h1', '<p class="small focus"', '<button class="next" name="number" value="1"'];
    for (const tag of tags) expect(body).toContain(`${tag}${lang}>${said}`);
    const part = `<div class="said" dir="auto"${lang}>`;
    // The verdict, two answers, the dispute and a review.
    expect(body.split(part)).toHaveLength(6);
    expect(body).toContain(`<strong>Consensus</strong> <span${lang}>${said}</span>`);
    expect((await raw(port, '/threads/t1')).body).toContain(`<p${lang}>${said}</p>`);
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

  test('offers a question that got no answer to be asked again, as it was written, and no rating', async () => {
    const turn: WebTurn = { ...endedTurn('Wait <b>?'), outcome: 'failed' };
    const { port } = await openWeb([turn]);
    const { body } = await raw(port, '/turns/t1');
    expect(body).not.toContain('Was this helpful?');
    expect(body).toMatch(
      /<label for="question">Ask again<.label>\n.*\nWait &lt;b&gt;\?<.textarea>/,
    );
  });

  test('offers a long text that got no answer to be asked again whole', async () => {
    const turn = endedTurn('Wait?');
    const { request } = turn.past;
    const text = `Wait? ${'And then? '.repeat(800)}`;
    const { heard } = conversationOf([{ by: 'user', text, files: [] }], {
      place: 'web:local:council',
      eventId: 'e1',
      author: request.author,
      at: 1,
      limits: v1Limits,
      uploads: new Uploads(),
    });
    if (!heard) throw new Error('It is short enough for a question.');
    const past = { ...turn.past, heard };
    const { port } = await openWeb([{ ...turn, past, outcome: 'failed' }]);
    expect((await raw(port, '/turns/t1')).body).toContain(`\n${text.trim()}</textarea>`);
  });

  test('asks a follow-up once however often it is sent, until the conversation has gone on', async () => {
    const turn = endedTurn('Wait.');
    const newer = { ...askedTurn('t2'), threadId: turn.threadId };
    const named = async (turns: readonly WebTurn[]) => {
      const { port } = await openWeb(turns);
      const { body } = await raw(port, '/turns/t1');
      return / name="form" value="([^"]+)"/.exec(body)?.[1];
    };
    const name = await named([turn]);
    expect([typeof name, await named([turn])]).toEqual(['string', name]);
    expect(await named([newer, turn])).not.toBe(name);
    const { port, asked } = await openWeb([turn]);
    const body = `question=Why&thread=t1&form=${name}`;
    for (let time = 0; time < 2; time += 1)
      await raw(port, '/ask', { method: 'POST', headers, body });
    expect(asked.map(({ eventId }) => eventId)).toEqual([asked[0]?.eventId, asked[0]?.eventId]);
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

test('the end of a turn changes panes one by one, so that one that is read can stay', () => {
  const answer = answered('nassim_taleb', 'Wait.');
  const end: Of<'ended'> = { type: 'ended', end: stoppedEnd(true) };
  const events = [{ type: 'seat_named', seat: taleb }, answer, end] as const;
  const { regions } = changedBy(end, events.reduce(applyEvent, initialView(askedTurn('t1'))));
  expect(regions.has('answers')).toBe(false);
  const after = regions.get('answer-nassim_taleb');
  const view = [...events].slice(0, 2).reduce(applyEvent, initialView(askedTurn('t1')));
  expect(`${after}`).toBe(`${changedBy(answer, view).regions.get('answer-nassim_taleb')}`);
});

test('an answer and a verdict that still grow show no marks of Markdown', () => {
  const events = [
    { type: 'seat_named', seat: taleb },
    { type: 'answer_grew', sage: 'nassim_taleb', answer: '**Wait' },
    { type: 'verdict_grew', verdict: '**Wait' },
  ] as const;
  let view = initialView(askedTurn('t1'));
  const shown = events.map((event) => {
    view = applyEvent(view, event);
    return [...changedBy(event, view).regions.values()].join('');
  });
  for (const html of shown.slice(1)) expect(html).toContain('<p><strong>Wait</strong></p>');
});

test('conversations with the same title are told apart by when they were last used', async () => {
  const { port } = await openWeb([askedTurn('t1')]);
  const { body } = await raw(port, '/');
  expect(body).toContain(
    'About t1?<br><time datetime="1970-01-01T00:00:00.001Z">1970-01-01 00:00 UTC</time></a>',
  );
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

test('a conversation shows how each verdict begins, as its author meant it, and when it was asked', async () => {
  const { port } = await openWeb([endedTurn('**Wait** for <b>March</b>.')]);
  const { body } = await raw(port, `/threads/${endedTurn('').threadId.split(':').at(-1)}`);
  expect(body).toContain('<p><strong>Wait</strong> for &lt;b&gt;March&lt;/b&gt;.</p>');
  expect(body).toMatch(/<p class="small"><time datetime="\d{4}-/);
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
  const tooLong = '<h1>That is too long to send: at most 256 kB fit here. Shorten it';
  expect([status, body]).toEqual([413, expect.stringContaining(tooLong)]);
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

test('a reason that moderator and fallback council failed for alike is told once at the top', async () => {
  const reason = 'openai gets more requests than it allows for this key (429). Ask again.';
  const failed = answered('nassim_taleb', `Error: ${reason}`, {
    ...({ status: 'failed', reason: 'rate_limited' } as const),
  });
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
  // In its pane the sage’s state and its text say why it failed; a third wording does not.
  expect(body).toContain('failed: too many requests</span>');
  expect(body).not.toContain('rate limited');
});

test('what several sages failed for is told in full once at the top, and of a stopped one that it wrote nothing', async () => {
  const reason = 'Model openai:x does not exist (404).';
  const failed = { status: 'failed', reason: 'model_not_found' } as const;
  const answers = [
    answered('nassim_taleb', `Error: ${reason}`, failed),
    answered('ada', `Error: ${reason}`, failed),
    answered('ben', '', { status: 'stopped' }),
  ].map((event) => (event as Of<'answered'>).answer);
  const sit = (key: string) => ({ ...taleb, sage: { ...taleb.sage, key, name: key } });
  const seats = [taleb, sit('ada'), sit('ben')];
  const turn = askedTurn('t1', 'local', {
    seated: { seats, how: 'moderated', dropped: [], latencyMs: 1 },
    answers,
  });
  const { port } = await openWeb([turn]);
  const { body } = await raw(port, '/turns/t1');
  const [notices = '', panes = ''] = body.split('What the sages say');
  expect(notices.split(reason)).toHaveLength(2);
  expect(notices).toContain('ada failed: the model does not exist · ben was stopped</li>');
  expect(panes).toContain('<span>Nothing had arrived.</span>');
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

test.each([
  ['feedback', 'rating=good'],
  ['share', ''],
  ['unshare', ''],
])('the button of %s leads back to its place on the page', async (command, form) => {
  const done = async () => ({ blocks: [], isPrivate: true }) as const;
  const { port } = await openWeb([endedTurn('Wait.')], {}, { command: done });
  const sent = { method: 'POST', headers, body: form };
  const { location } = (await raw(port, `/turns/t1/${command}`, sent)).headers;
  const [path = '', place = ''] = `${location}`.split('#');
  expect(place).not.toBe('');
  expect((await raw(port, path)).body).toContain(`id="${place}"`);
});
