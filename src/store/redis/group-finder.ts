import { z } from 'zod';
import type { Commands } from './commands.ts';
import { eventKey, turnKey, turnOfGroup } from './keys.ts';
import { scripts } from './scripts.ts';

/** Bounds what is remembered; far more than the turns that one process runs at once. */
const mostRemembered = 10_000;

/** Tells where a turn is, whose thread the caller does not say. */
export interface GroupFinder {
  /** One round trip for a turn that this process has not seen; none for others. */
  find(turnId: string): Promise<string | undefined>;
  /** One round trip. */
  findByEvent(eventId: string): Promise<string | undefined>;
  remember(turnId: string, group: string): void;
}

export function groupFinder(commands: Commands): GroupFinder {
  const known = new Map<string, string>();

  function remember(turnId: string, group: string): void {
    known.delete(turnId);
    known.set(turnId, group);
    if (known.size <= mostRemembered) return;
    const [oldest] = known.keys();
    if (oldest !== undefined) known.delete(oldest);
  }

  async function findBy(key: string): Promise<string | undefined> {
    const reply = await commands.run(scripts.findGroup, [key], []);
    const group = z.string().nullable().parse(reply);
    if (group === null) return undefined;
    remember(turnOfGroup(group).turnId, group);
    return group;
  }

  return {
    find: async (turnId) => known.get(turnId) ?? findBy(turnKey(turnId)),
    findByEvent: async (eventId) => findBy(eventKey(eventId)),
    remember,
  };
}
