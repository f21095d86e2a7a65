import { z } from 'zod';
import type { Commands } from './commands.ts';
import { turnKey } from './keys.ts';
import { scripts } from './scripts.ts';

/** Bounds what is remembered; far more than the turns that one process runs at once. */
const mostRemembered = 10_000;

/** Tells where a turn is, whose thread the caller does not say. */
export interface GroupFinder {
  /** One round trip for a turn that this process has not seen; none for others. */
  find(turnId: string): Promise<string | undefined>;
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

  return {
    async find(turnId) {
      const remembered = known.get(turnId);
      if (remembered !== undefined) return remembered;
      const reply = await commands.run(scripts.findGroup, [turnKey(turnId)], []);
      const group = z.string().nullable().parse(reply);
      if (group === null) return undefined;
      remember(turnId, group);
      return group;
    },
    remember,
  };
}
