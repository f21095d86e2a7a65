/** Makes ids as Slack's look: a letter, then capitals and digits, each only once. */
export type NextId = (kind: 'T' | 'U' | 'B' | 'A' | 'V' | 'Ev' | 'F') => string;

export function idsInOrder(): NextId {
  let count = 0;
  return (kind) => {
    count += 1;
    return `${kind}0${count.toString(36).toUpperCase().padStart(7, '0')}`;
  };
}
