/** Loaded before a program that is started with `--expose-gc` and a channel: tells its heap after collection when asked. */

process.on('message', () => {
  // Twice, so that what the first collection finalises is gone as well.
  globalThis.gc?.();
  globalThis.gc?.();
  process.send?.(process.memoryUsage().heapUsed);
});
// Being asked keeps no program alive.
process.channel?.unref();
