/** What a fake has seen that is not as it should be. */
export interface ViolationLog<Violation> {
  readonly all: readonly Violation[];
  add(violation: Violation): void;
  clear(): void;
}

export function violationLog<Violation>(): ViolationLog<Violation> {
  const all: Violation[] = [];
  return {
    all,
    add: (violation) => all.push(violation),
    clear: () => all.splice(0),
  };
}
