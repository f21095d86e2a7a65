/** How often the event loop went round while something was done: as often, others could do their own. */
export async function turnsBetween(work: () => Promise<unknown>): Promise<number> {
  let turns = 0;
  const count = () => {
    turns += 1;
    counting = setImmediate(count);
  };
  let counting = setImmediate(count);
  try {
    await work();
    return turns;
  } finally {
    clearImmediate(counting);
  }
}
