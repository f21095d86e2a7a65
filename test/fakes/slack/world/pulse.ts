/** Beats whenever something may have changed that a test waits for. */
export interface Pulse {
  beat(): void;
  /** The returned function ends it. */
  onBeat(listener: () => void): () => void;
}

export function createPulse(): Pulse {
  const listeners = new Set<() => void>();
  return {
    beat: () => {
      for (const listener of [...listeners]) listener();
    },
    onBeat: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}
