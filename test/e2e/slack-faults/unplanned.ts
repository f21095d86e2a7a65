/** Limits under which nothing is planned: what goes wrong is then the fault alone. */
export const unplanned = { calls: [], editGapMs: 0 } as const;
