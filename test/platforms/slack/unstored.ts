/** What a Slack needs of the store, for tests that keep nothing there. */

export const unstored = {
  channelIds: { read: async () => new Map<string, string>(), write: async () => undefined },
  listened: { read: async () => undefined, write: async () => undefined },
  sharesEvents: false,
  hearing: { contextMessages: 20, contextChars: 8000 },
  answerMissedWithinMs: 1_800_000,
};
