/**
 * Asks for what is in several slots: one call for each slot, all in one tick.
 *
 * @param ask - Gives one result for each of the items, in their order.
 * @returns The results in the order of all items.
 */
export async function eachSlot<Item, Result>(
  items: readonly Item[],
  slotOf: (item: Item) => string,
  ask: (slot: string, own: readonly Item[]) => Promise<readonly Result[]>,
): Promise<readonly Result[]> {
  const placed = items.map((item, place) => ({ item, place }));
  const bySlot = Map.groupBy(placed, ({ item }) => slotOf(item));
  const answers = await Promise.all(
    [...bySlot].map(async ([slot, own]) => {
      const results = await ask(
        slot,
        own.map(({ item }) => item),
      );
      return results.map((result, at) => ({ result, place: own[at]?.place ?? 0 }));
    }),
  );
  return answers
    .flat()
    .toSorted((one, other) => one.place - other.place)
    .map(({ result }) => result);
}
