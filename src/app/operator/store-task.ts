/** What an operator wants of a store. */
export type StoreTask = { readonly task: 'store' } & (
  | { readonly action: 'copy'; readonly from: StoreAddress; readonly to: StoreAddress }
  /** `store`: absent, the one of the bot. */
  | { readonly action: 'check'; readonly mends: boolean; readonly store?: StoreAddress }
);

/** Where a store is; without an address, where the settings or the environment say. */
export type StoreAddress =
  | { readonly kind: 'sqlite'; readonly path?: string }
  | { readonly kind: 'redis'; readonly url?: string }
  | { readonly kind: 'upstash' };

const forms =
  'sqlite:FILE, redis://user:password@host:6379/0, redis (the one of REDIS_URL, so that no password is typed) or upstash (the one of its two variables)';

/** @returns What is wrong, in words for whoever typed it; what was typed may hold a password and is not repeated. */
export function readCopyTask(
  from: string | undefined,
  to: string | undefined,
): StoreTask | { readonly wrong: string } {
  const source = from === undefined ? undefined : readStoreAddress(from);
  const target = to === undefined ? undefined : readStoreAddress(to);
  if (source === undefined) return { wrong: `--from is to name a store: ${forms}` };
  if (target === undefined) return { wrong: `--to is to name a store: ${forms}` };
  return { task: 'store', action: 'copy', from: source, to: target };
}

/** As {@link readCopyTask}. */
export function readCheckTask(
  store: string | undefined,
  mends: boolean,
): StoreTask | { readonly wrong: string } {
  if (store === undefined) return { task: 'store', action: 'check', mends };
  const address = readStoreAddress(store);
  if (address === undefined) return { wrong: `--store is to name a store: ${forms}` };
  return { task: 'store', action: 'check', mends, store: address };
}

function readStoreAddress(text: string): StoreAddress | undefined {
  if (text === 'sqlite' || text === 'redis' || text === 'upstash') return { kind: text };
  if (/^rediss?(\+sentinel|\+cluster)?:\/\//.test(text)) return { kind: 'redis', url: text };
  const [, path] = /^sqlite:(.+)$/s.exec(text) ?? [];
  return path === undefined ? undefined : { kind: 'sqlite', path };
}
