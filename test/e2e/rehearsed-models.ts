/** The rehearsal server as the model of a council: what holds a call, breaks a stream, or sees a connection close. */

import { onTestFinished } from 'vitest';
import type { Fault, Part, RehearsalCall, RehearsalOptions } from '../fakes/rehearsal/options.ts';
import { startRehearsalServer } from '../fakes/rehearsal/server.ts';

export interface RehearsedModels {
  /** Settings that have the three sages speak from this server. */
  readonly settings: { readonly council: object; readonly models: object };
  /** Calls that have reached the server, whether or not they have ended, e.g. `sage ben`, `chair`. */
  readonly asked: readonly string[];
  /** How often each part was asked. */
  counts(): Readonly<Record<string, number>>;
  /** How many calls are being answered, or held. */
  openCalls(): number;
  /** How the calls ended that are named so, in order. */
  outcomesOf(name: string): readonly string[];
}

/** What the moderator says: all three sit. */
export const seating = JSON.stringify({
  focus: [{ sage: 'ada', query: 'What breaks first?' }],
  predefined_chosen_sages: ['ada', 'ben', 'cleo'],
  new_sages_to_create: [],
});

/** @param faults - What goes wrong with a call, by its name and how often that was asked before. */
export async function startRehearsedModels(
  faults: (name: string, earlier: number) => Fault | undefined = () => undefined,
  pace: Pick<RehearsalOptions, 'latencyMs'> = {},
): Promise<RehearsedModels> {
  const asked: string[] = [];
  const server = await startRehearsalServer({
    ...pace,
    sages: [],
    say: ({ part }) => (part === 'moderator' ? seating : undefined),
    faults: (call) => {
      asked.push(nameOf(call));
      return faults(nameOf(call), call.earlier);
    },
  });
  onTestFinished(() => server.close());
  return {
    settings: {
      council: { fallbackSage: 'ada' },
      models: {
        default: 'rehearsal:sages',
        providers: { rehearsal: { baseUrl: server.baseUrl } },
      },
    },
    asked,
    counts: () => {
      const counts: Record<string, number> = {};
      for (const name of asked) counts[name] = (counts[name] ?? 0) + 1;
      return counts;
    },
    openCalls: () => server.openCalls(),
    outcomesOf: (name) =>
      server
        .journal()
        .filter((call) => nameOf(call) === name)
        .map(({ outcome }) => outcome),
  };
}

function nameOf({ part, sage }: RehearsalCall): string {
  const [first] = sage?.toLowerCase().split(' ') ?? [];
  return first && isPersonal(part) ? `${part} ${first}` : part;
}

function isPersonal(part: Part): boolean {
  return ['sage', 'reviewer', 'rebuttal', 'voter'].includes(part);
}
