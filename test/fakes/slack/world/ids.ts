/** Makes ids as Slack's look: a letter, then capitals and digits, each only once. */
export type NextId = (
  kind: 'T' | 'U' | 'B' | 'A' | 'V' | 'Ev' | 'F' | 'C' | 'D' | 'E' | 'G',
) => string;

export function idsInOrder(): NextId {
  let count = 0;
  return (kind) => {
    count += 1;
    return `${kind}0${count.toString(36).toUpperCase().padStart(7, '0')}`;
  };
}

/** Gives each message its `ts`: the second and a count within it, later ones always greater. */
export function timestampsInOrder(): () => string {
  let last = 0;
  return () => {
    last = Math.max(last + 1, Date.now() * 1000);
    return (last / 1e6).toFixed(6);
  };
}
