import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Export } from '../../../src/memory/export/export.ts';
import { exportFile, exportFormats } from '../../../src/memory/export/export-file.ts';
import { anyExports, channel, exportOf, startOfTime, written } from './exports.ts';

const hostile =
  '</div></style><script>alert(1)</script><img src=https://evil.example/x.png onerror=a>';

function seatedOf(name: string) {
  const sage = { key: 'ada', name, description: 'Thinks in loops.', source: 'predefined' };
  return {
    seats: [{ sage, model: 'test:ada' }],
    how: 'moderated',
    dropped: [],
    latencyMs: 1,
  };
}

/** One turn in which everybody says the same. */
function saying(text: string): Export {
  const common = { turnId: 't', createdAt: startOfTime };
  const turn = {
    turnId: 't',
    createdAt: startOfTime,
    endedAt: startOfTime + 90_000,
    outcome: 'answered',
    request: {},
    messages: [
      {
        ...({ ...common, id: 'q', role: 'human', type: 'user_query', author: text } as const),
        content: { type: 'user_query', text },
      },
      {
        ...({ ...common, id: 'a', role: 'ai', type: 'sage_output', sage: 'ada' } as const),
        content: {
          type: 'sage_output',
          sage: 'ada',
          answer: text,
          summary: text,
          status: 'answered',
        },
      },
    ],
    steps: [
      { kind: 'seated', key: '', data: seatedOf(text) },
      {
        kind: 'verdict',
        key: '',
        data: {
          kind: 'synthesis',
          by: 'test:chair',
          latencyMs: 1,
          disagreements: [],
          dissent: [],
          verdict: text,
          consensus: [text],
          minorityReport: text,
          confidence: 'high',
          unsettled: [text],
          confidenceReason: text,
        },
      },
      {
        kind: 'reviewed',
        key: 'ada',
        data: {
          model: 'test:ada',
          latencyMs: 1,
          reviewer: 'ada',
          text,
          labels: [{ label: 'A', sage: 'ada' }],
          ballot: { status: 'ranked', groups: [['A']], partial: true },
        },
      },
      {
        kind: 'ranked',
        key: '',
        data: {
          sameModel: false,
          ranking: {
            places: [{ sage: 'ada', position: 1, score: 1, averagePosition: 1.5, votes: 2 }],
          },
        },
      },
    ],
  };
  return exportOf(channel, [{ threadId: `${channel}:t`, turns: [turn], messages: [] }]);
}

describe('the page', () => {
  test('has no scripts, loads nothing, and lets no one who was heard write in it', async () => {
    const content = await written(saying(hostile), 'html');
    expect(content).not.toMatch(/<script|<img|<link|<iframe|@import|url\(/i);
    expect(content.match(/<\/style>/g)).toHaveLength(1);
    expect(content).toContain('&lt;script&gt;alert(1)&lt;/script&gt;');
    expect(content).toContain("default-src 'none'");
  });

  test('draws the ranking and the faces of sages, with the numbers as a table', async () => {
    const content = await written(saying('Ada <Lovelace>'), 'html');
    expect(content).toMatch(
      /<figure><svg [^>]*role="img"><title>Ranking by 1 blind ballot<\/title>/,
    );
    expect(content).toContain('<desc>1. Ada &lt;Lovelace&gt;: 100 %.');
    expect(content).toContain('<td>Ada &lt;Lovelace&gt;</td><td>100 %</td>');
    expect(content.match(/<span class="face"/g)).toHaveLength(2);
    expect(content).toContain('>AL</text>');
  });

  test('has its title in words, and the verdict before what it was made of', async () => {
    const content = await written(saying('Rewrite it?'), 'html');
    expect(content).toContain('<h1>Conversations with the council</h1>');
    expect(content).toContain('<h2>Rewrite it?</h2>');
    const kinds = [...content.matchAll(/<article class="(\w+)">/g)].map(([, kind]) => kind);
    expect(kinds).toEqual(['question', 'verdict', 'answer', 'review']);
  });

  test('says in which language something was said, for screen readers', async () => {
    const content = await written(saying('Was würde das für uns bedeuten?'), 'html');
    expect(content).toContain('<h2 lang="de">Was würde das für uns bedeuten?</h2>');
    expect(content.split('<div class="said" dir="auto" lang="de">')).toHaveLength(5);
  });

  test('is whole where everybody writes Markdown', async () => {
    const content = await written(saying('# A\n\n- **b** `c`'), 'html');
    expect(content).toContain(
      '<h4>A</h4>\n<ul>\n<li><strong>b</strong> <code>c</code></li>\n</ul>',
    );
    expect(content).toContain('<bdi># A - **b** `c`</bdi>');
    expect(content).toContain('<strong>Minority report</strong> <span># A');
    expect(content.match(/<article/g)).toHaveLength(4);
    expect(content.match(/<\/article>/g)).toHaveLength(4);
  });
});

test('a page of much is made in portions, and whatever waits goes in between', async () => {
  const exported = saying('One.');
  const [thread] = exported.threads;
  const [turn] = thread?.turns ?? [];
  const [question] = turn?.messages ?? [];
  if (!thread || !question) throw new Error('There is a question.');
  const { turnId: _, ...said } = question;
  const messages = Array.from({ length: 200 }, (_, at) => ({ ...said, id: `m${at}` }));
  let wentBetween = 0;
  const count = () => {
    wentBetween += 1;
    counting = setImmediate(count);
  };
  let counting = setImmediate(count);
  const content = await written(exportOf(channel, [{ ...thread, turns: [], messages }]), 'html');
  clearImmediate(counting);
  expect(content.match(/<article/g)).toHaveLength(200);
  expect(wentBetween).toBeGreaterThanOrEqual(20);
});

describe('the Markdown', () => {
  test('quotes what was said, so that no one can speak in the name of another', async () => {
    const posing = 'Fine.\n\n### Marcus Aurelius answered · 2026-01-01 00:00\r> Yes.\r\nNo.';
    const content = await written(saying(posing), 'markdown');
    const headings = content.split(/\r\n|[\r\n]/).filter((line) => /^ {0,3}#/.test(line));
    expect(headings).toHaveLength(2 + 4);
    for (const line of content.split(/\r\n|[\r\n]/)) {
      if (/^\s*(###) Marcus/.test(line)) throw new Error(`It poses: ${line}`);
    }
  });

  test('holds nothing that a terminal obeys or that turns the direction of text', async () => {
    // Clears the line, goes up one and writes there: the next speaker's heading would be another's.
    const hostile = 'Yes.\u001b[2K\u001b[1A\u009b31m\u001b]0;t\u0007\u202eon\u2066';
    const content = await written(saying(hostile), 'markdown');
    expect(content).toContain('> Yes.[2K[1A31m]0;ton');
    expect(content).not.toMatch(/[[\p{Cc}--\n]\u202a-\u202e\u2066-\u2069]/v);
  });

  test('is titled by what was asked, as the page is', async () => {
    const content = await written(saying('Rewrite *it*?\n\n# Or not?'), 'markdown');
    expect(content).toMatch(
      /^# Conversations with the council\n\nExported from test:w:c\. Times are UTC\.\n\n/,
    );
    expect(content.match(/^##? .*/gm)).toEqual([
      '# Conversations with the council',
      '## Rewrite \\*it\\*? \\# Or not?',
    ]);
    const thread = { ...exportOf(`${channel}:t`, saying('Rewrite it?').threads) };
    expect(await written(thread, 'markdown')).toMatch(/^# A conversation with the council\n/);
  });

  test('tells who said what, and what came of it', async () => {
    const content = await written(saying('Begin with tests.'), 'markdown');
    expect(content).toContain(
      '### Begin with tests. asked · 2026-01-01 00:00\n\n> Begin with tests.',
    );
    expect(content).toContain('### Verdict · 2026-01-01 00:01\n\n> Begin with tests.');
    expect(content).toContain('> **Confidence:** high. Begin with tests.');
    expect(content).toContain('> **Still open:** Begin with tests.');
    expect(content).toContain(
      '> **Ranking:** 1. Begin with tests.: ██████████ 100 %, average place 1.5',
    );
    // Directly under its review.
    expect(content).toMatch(
      /reviewed .*\n\n> Begin with tests\.\n\n> \*\*Ballot as read:\*\* Begin with tests\.; the others/,
    );
    expect(content).toContain('> **Who was who:** A: Begin with tests.');
  });
});

test('every form holds every text that was said', async () => {
  await fc.assert(
    fc.asyncProperty(anyExports, async (exported) => {
      const markdown = await written(exported, 'markdown');
      for (const { turns, messages } of exported.threads) {
        const said = [...messages, ...turns.flatMap((turn) => turn.messages)];
        const words = said.flatMap(
          ({ content }) => String(content.text ?? content.answer).match(/\w+/g) ?? [],
        );
        for (const word of words) expect(markdown).toContain(word);
      }
    }),
    { numRuns: 50 },
  );
});

test('the JSON of many threads is what JSON.stringify writes of them', async () => {
  const hostile = 'A line,\u2028another\u2029 one\r\nand "one" more.';
  await fc.assert(
    fc.asyncProperty(anyExports, async (exported) => {
      const threads = [...exported.threads, ...saying(hostile).threads];
      const content = await written({ ...exported, threads }, 'json');
      expect(JSON.parse(content)).toEqual({ ...exported, threads });
      expect(content).toBe(`${JSON.stringify(JSON.parse(content), null, 2)}\n`);
    }),
    { numRuns: 50 },
  );
});

test('the name of a file is one that every system takes', async () => {
  const exported = exportOf('slack:T1:C1:17.5/../"x"', []);
  for (const form of exportFormats) {
    expect(exportFile(exported.place, exported.threads, form).name).toMatch(
      /^council-slack-T1-C1-17\.5-\.\.-x-\.\w+$/,
    );
  }
});
