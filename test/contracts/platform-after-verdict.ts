/** What every platform must do with a verdict after its turn; run over each, and over broken ones. */

import { expect } from 'vitest';
import type { TurnRequest } from '../../src/domain/turn.ts';
import type { ConcludedTurn } from '../../src/platforms/platform.ts';
import { concluded, marcus, ranked, taleb } from '../platforms/terminal/turn-events.ts';
import { type PlatformCase, type PlatformWorld, show, wholeTurn } from './platform.ts';

/** Stands in the verdict, wherever it is shown. */
const verdict = 'Do both.';

export function turnOf(request: TurnRequest, uses: Partial<ConcludedTurn> = {}): ConcludedTurn {
  const told = { ...concluded() };
  if (told.type !== 'concluded' || ranked.type !== 'ranked') throw new Error('no verdict');
  const { type: _, ...places } = ranked;
  const seats = [marcus, taleb];
  return {
    request,
    seats,
    verdict: told.verdict,
    ranked: places,
    reviews: [],
    followed: [],
    ...uses,
  };
}

/** A turn that was shown to its end. */
async function shown(world: PlatformWorld): Promise<TurnRequest> {
  const request = await world.ask('Should we rewrite it?');
  await show(world, request, wholeTurn);
  return request;
}

const count = (text: string) => text.split(verdict).length - 1;

export const afterVerdictCases: readonly PlatformCase[] = [
  {
    name: 'says below a verdict what was done with it, and says the verdict once',
    async run(world) {
      const request = await shown(world);
      const before = count(world.transcript(request));
      const followed = [{ turnId: 'later', sage: taleb.sage.key }];
      await world.open().redraw(turnOf(request, { followed }));
      expect(world.transcript(request)).toMatch(/Asked again since: .*Taleb/);
      await world
        .open()
        .redraw(turnOf(request, { posted: { at: request.askedAt, post: 'the post' } }));
      expect(world.transcript(request)).toContain('Posted to the channel.');
      expect(world.transcript(request)).not.toContain('Asked again since');
      expect(count(world.transcript(request))).toBe(before);
    },
  },
  {
    name: 'passes over a verdict that is not there any more',
    async run(world) {
      const request = await world.ask('Should we rewrite it?');
      await show(world, request, wholeTurn.slice(0, 3));
      const before = world.transcript(request);
      await world.open().redraw(turnOf(request));
      expect(world.transcript(request)).toBe(before);
    },
  },
  {
    name: 'puts a verdict into the channel, and alarms no one',
    async run(world) {
      const request = await shown(world);
      expect(count(world.channel())).toBe(0);
      const post = await world.open().post(turnOf(request));
      expect(post).not.toBe(undefined);
      expect(count(world.channel())).toBe(1);
      expect(world.alarms()).toEqual([]);
    },
  },
  {
    name: 'finds a post again whose id was lost, and posts no second one',
    async run(world) {
      const request = await shown(world);
      const post = await world.open().post(turnOf(request));
      const posted = { at: request.askedAt };
      expect(await world.open().post(turnOf(request, { posted }))).toBe(post);
      expect(count(world.channel())).toBe(1);
    },
  },
  {
    name: 'takes a post back, whether its id is known or lost, and one that is gone already',
    async run(world) {
      const request = await shown(world);
      const at = request.askedAt;
      const post = await world.open().post(turnOf(request));
      if (post === undefined) throw new Error('nothing was posted');
      await world.open().unpost({ request, posted: { at, post } });
      expect(count(world.channel())).toBe(0);
      await world.open().unpost({ request, posted: { at, post } });
      const other = await shown(world);
      await world.open().post(turnOf(other));
      await world.open().unpost({ request: other, posted: { at: other.askedAt } });
      expect(count(world.channel())).toBe(0);
      await world.open().unpost({ request: other, posted: { at: other.askedAt } });
    },
  },
  {
    name: 'takes a post back with its question',
    async run(world) {
      const request = await shown(world);
      const post = await world.open().post(turnOf(request));
      const posted = { at: request.askedAt, ...(post !== undefined && { post }) };
      await world.open().retract({ request, posted });
      expect(count(world.channel())).toBe(0);
    },
  },
];
