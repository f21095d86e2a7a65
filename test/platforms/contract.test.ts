import { setTimeout as wait } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import type { ConcludedTurn, Platform } from '../../src/platforms/platform.ts';
import { type PlatformWorld, platformCases } from '../contracts/platform.ts';
import { afterVerdictCases } from '../contracts/platform-after-verdict.ts';
import { channelOf, PlainPlatform, type PlainThreads } from '../fakes/plain-platform.ts';

type Open = (threads: PlainThreads) => Platform;

const cases = [...platformCases, ...afterVerdictCases];

function plainWorld(open: Open = (threads) => new PlainPlatform(threads)): PlatformWorld {
  const threads: PlainThreads = new Map();
  return {
    open: () => open(threads),
    ask: async (question) => {
      const number = threads.size + 1;
      const threadId = `plain:here:room:${number}`;
      threads.set(threadId, new Map());
      const ids = { turnId: `turn-${number}`, threadId, eventId: `event-${number}` };
      return { ...ids, question, author: { id: 'ada', name: 'Ada' }, askedAt: number };
    },
    transcript: ({ threadId }) =>
      [...(threads.get(threadId)?.values() ?? [])]
        .map(({ by, text }) => `${by}\n${text}`)
        .join('\n\n'),
    channel: () =>
      [...(threads.get(channelOf)?.values() ?? [])].map(({ text }) => text).join('\n\n'),
    alarms: () =>
      [...threads.values()]
        .flatMap((thread) => [...thread.values()])
        .flatMap(({ text }) => (text.includes('@') ? [text] : [])),
    shut: ({ threadId }) => void threads.delete(threadId),
    [Symbol.asyncDispose]: async () => undefined,
  };
}

/** Names of the cases that a platform fails. */
async function failedCases(open: Open): Promise<readonly string[]> {
  const failed: string[] = [];
  for (const { name, run } of cases) {
    // That a case throws is what is looked for; which one tells whether it is the right one.
    await run(plainWorld(open)).catch(() => failed.push(name));
  }
  return failed;
}

class HastyPlatform extends PlainPlatform {
  override async present(...[turn, events, shutdown]: Parameters<PlainPlatform['present']>) {
    const taken = events[Symbol.asyncIterator]();
    const first = await taken.next();
    async function* again() {
      if (!first.done) yield first.value;
      for (let next = await taken.next(); !next.done; next = await taken.next()) yield next.value;
    }
    await super.present(turn, again(), shutdown);
  }
}

class UnendingPlatform extends PlainPlatform {
  override present(...[turn, events]: Parameters<PlainPlatform['present']>) {
    return super.present(turn, events, new AbortController().signal);
  }
}

class ImpatientPlatform extends PlainPlatform {
  override async present(...[turn, events, shutdown]: Parameters<PlainPlatform['present']>) {
    async function* untilSaid() {
      for await (const event of events) {
        yield event;
        if (event.type === 'concluded') return;
      }
    }
    await super.present(turn, untilSaid(), shutdown);
  }
}

class UnforgettingPlatform extends PlainPlatform {
  override async retract() {}
}

class ForgetfulPlatform extends PlainPlatform {
  override async redraw() {}
}

class RepeatingPlatform extends PlainPlatform {
  override post(turn: ConcludedTurn) {
    said += 1;
    return super.post({ ...turn, request: { ...turn.request, turnId: `${said}` } });
  }
}

class KeepingPlatform extends PlainPlatform {
  override async unpost() {}
}

let said = 0;
/** Nothing is found again. */
const newKey = () => {
  said += 1;
  return `message ${said}`;
};

/** Each breaks one promise; `noticedBy` is one case, of perhaps several, that must notice. */
const broken: readonly {
  readonly name: string;
  readonly open: Open;
  readonly noticedBy: string;
}[] = [
  {
    name: 'says everything twice',
    open: (threads) =>
      new PlainPlatform(threads, {
        keyOf: newKey,
        say: async (_, post) => {
          await post();
          await post();
        },
      }),
    noticedBy: 'says each answer once, and then the verdict',
  },
  {
    name: 'says answers when it likes',
    open: (threads) =>
      new PlainPlatform(threads, {
        say: async (part, post) => {
          const later = part.kind === 'answer' ? wait(5).then(post) : post();
          if (part.kind !== 'answer') await later;
        },
      }),
    noticedBy: 'says each answer once, and then the verdict',
  },
  {
    name: 'says everything in the thread that was there first',
    open: (threads) =>
      new PlainPlatform(threads, { threadIdOf: () => [...threads.keys()][0] ?? '' }),
    noticedBy: 'keeps two threads apart',
  },
  {
    name: 'loses the verdict',
    open: (threads) =>
      new PlainPlatform(threads, {
        say: async (part, post) => {
          if (part.kind !== 'verdict') await post();
        },
      }),
    noticedBy: 'says each answer once, and then the verdict',
  },
  {
    name: 'shows what models write as it is',
    open: (threads) => new PlainPlatform(threads, { inert: (text) => text }),
    noticedBy: 'alarms nobody, whatever a model writes',
  },
  {
    name: 'does not ask whose the turn is',
    open: (threads) => new PlainPlatform(threads, { assertHeld: async () => undefined }),
    noticedBy: 'says nothing once the turn is another process’s',
  },
  {
    name: 'does not look for what an earlier process has said',
    open: (threads) => new PlainPlatform(threads, { keyOf: newKey }),
    noticedBy: 'goes on with a turn that another process has begun, and says nothing twice',
  },
  {
    name: 'tells anew what was told to its end',
    open: (threads) => new PlainPlatform(threads, { keyOf: newKey }),
    noticedBy: 'says nothing twice of a turn that was told to its end',
  },
  {
    name: 'begins before anything is there',
    open: (threads) => new HastyPlatform(threads),
    noticedBy: 'asks for the first event once what the turn begins with is there',
  },
  {
    name: 'goes on when the process ends',
    open: (threads) => new UnendingPlatform(threads),
    noticedBy: 'ends with the reason of its signal, and leaves the rest to be resumed',
  },
  {
    name: 'hears no turn out',
    open: (threads) => new ImpatientPlatform(threads),
    noticedBy: 'hears a turn out that can’t be shown any more',
  },
  {
    name: 'keeps what was taken back',
    open: (threads) => new UnforgettingPlatform(threads),
    noticedBy: 'empties what shows a question that was taken back',
  },
  {
    name: 'shows no use of a verdict',
    open: (threads) => new ForgetfulPlatform(threads),
    noticedBy: 'says below a verdict what was done with it, and says the verdict once',
  },
  {
    name: 'does not look for what it has posted to the channel',
    open: (threads) => new RepeatingPlatform(threads),
    noticedBy: 'finds a post again whose id was lost, and posts no second one',
  },
  {
    name: 'leaves what was posted to the channel',
    open: (threads) => new KeepingPlatform(threads),
    noticedBy: 'takes a post back, whether its id is known or lost, and one that is gone already',
  },
];

describe('the contract of platforms', () => {
  test.each(cases)('is kept by the smallest one: $name', async ({ run }) => {
    await run(plainWorld());
  });

  test.each(broken)('is broken by one that $name', async ({ open, noticedBy }) => {
    expect(await failedCases(open)).toContain(noticedBy);
  });
});
