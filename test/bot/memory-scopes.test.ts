import fc from 'fast-check';
import { expect, test } from 'vitest';
import { channelOf, workspaceOf } from '../../src/domain/thread-id.ts';
import { openSqliteStore } from '../../src/store/sqlite.ts';
import { scriptedModels } from '../council/scripted-council.ts';
import { fileSettings, startBot } from './bot-fixture.ts';
import { channelManager, textOf } from './commanding.ts';
import { entriesOf, memory } from './remembered-here.ts';

const spot = fc.record({
  threadId: fc
    .tuple(fc.constantFrom('w', 'v'), fc.constantFrom('c', 'd'), fc.constantFrom('t', 'u'))
    .map((parts) => `test:${parts.join(':')}`),
  isPrivate: fc.constantFrom(true, false, undefined),
});
type Spot = typeof spot extends fc.Arbitrary<infer Value> ? Value : never;

/** What may be shown in a place, said in the words of the promise. */
function maySee(all: readonly Spot[], one: Spot, from: Spot, reach: string): boolean {
  if (one.threadId === from.threadId) return true;
  if (reach === 'thread' || workspaceOf(one.threadId) !== workspaceOf(from.threadId)) return false;
  const channel = channelOf(from.threadId);
  if (channelOf(one.threadId) !== channel) return reach === 'workspace' && one.isPrivate === false;
  const isPublicChannel =
    from.isPrivate === false ||
    (from.isPrivate === true &&
      all.some((said) => channelOf(said.threadId) === channel && said.isPrivate === false));
  return one.isPrivate === false || !isPublicChannel;
}

test('nothing is shown, found or taken by its id that may not be seen where one is', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(spot, { minLength: 1, maxLength: 8 }),
      spot,
      fc.constantFrom('thread', 'channel', 'workspace'),
      async (said, from, memoryReach) => {
        const store = openSqliteStore({ path: ':memory:' });
        const settings = { ...fileSettings, memoryReach };
        const started = await startBot(scriptedModels({}), { settings }, store);
        for (const [at, { threadId, isPrivate }] of said.entries()) {
          await store.messages.append([
            {
              id: `m${at}`,
              threadId,
              role: 'human',
              type: 'user_query',
              status: 'complete',
              author: 'Uma',
              createdAt: at,
              content: { text: `harbour number ${at}.` },
              ...(isPrivate !== undefined && { isPrivate }),
            },
          ]);
        }
        const placeOf = ({ threadId, isPrivate }: Spot) => {
          const [platform = '', workspace = '', channel = ''] = threadId.split(':');
          return {
            platform,
            workspace,
            channel,
            threadId,
            ...(isPrivate !== undefined && { isPrivate }),
          };
        };
        const give = (options: Readonly<Record<string, unknown>>, spotOf = from) =>
          memory(started, options, channelManager, placeOf(spotOf));
        for (const options of [{}, { do: 'search', what: 'harbour' }]) {
          const shown = textOf(await give(options));
          for (const [at, one] of said.entries()) {
            const isShown = shown.includes(`harbour number ${at}.`);
            if (isShown) expect(maySee(said, one, from, memoryReach), `${at}`).toBe(true);
            else if (one.threadId === from.threadId) expect(isShown).toBe(true);
          }
        }
        // Ids that are shown elsewhere are tried here.
        for (const one of said) {
          for (const { id, text } of entriesOf(await give({}, one))) {
            const at = Number(/number (\d)/.exec(text)?.[1]);
            const reach = memoryReach === 'thread' ? 'channel' : memoryReach;
            const theirs = said[at];
            if (!theirs || maySee(said, theirs, from, reach)) continue;
            for (const action of ['show', 'pin', 'forget']) {
              expect(textOf(await give({ do: action, what: id }))).toContain('Nothing with the id');
            }
          }
        }
        await store.close();
      },
    ),
    { numRuns: 60 },
  );
}, 60_000);
