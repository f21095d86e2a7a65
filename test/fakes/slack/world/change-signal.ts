/** Tells tests that wait that something may have changed. */
export interface ChangeSignal {
  notify(): void;
  /** The returned function ends it. */
  onChange(listener: () => void): () => void;
}

export function createChangeSignal(): ChangeSignal {
  const listeners = new Set<() => void>();
  return {
    notify: () => {
      for (const listener of [...listeners]) listener();
    },
    onChange: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}
