/** Writes a known ranking in the ways in which reviewers write one. */

/** What a writer is given besides the ranking. */
export interface Writing {
  /** Best first. */
  readonly groups: readonly (readonly string[])[];
  /** How an answer is called, decoration included, e.g. `**Response C**`. */
  readonly name: (label: string) => string;
  /** What follows a name in lists; it may speak of other answers. */
  readonly remark: string;
  /** An order for what is listed in no order of merit: indices to sort by. */
  readonly disorder: readonly number[];
}

export interface Writer {
  readonly title: string;
  /** Stands after the heading, on its line or below it. */
  readonly place: 'below' | 'beside' | 'alone';
  readonly write: (writing: Writing) => string;
}

/** The place of every group as in a competition: after two firsts comes a third. */
function placed({ groups }: Writing): readonly { group: readonly string[]; place: number }[] {
  return groups.map((group, index) => ({
    group,
    place: 1 + groups.slice(0, index).flat().length,
  }));
}

function each(writing: Writing, line: (label: string, place: number) => string): string[] {
  return placed(writing).flatMap(({ group, place }) => group.map((label) => line(label, place)));
}

function together({ name }: Writing, group: readonly string[]): string {
  return group.length === 1 ? group.map(name).join('') : `${group.map(name).join(' and ')} (tied)`;
}

function joined({ groups, name }: Writing, tie: string, order: string): string {
  return groups.map((group) => group.map(name).join(tie)).join(order);
}

function shuffled(lines: readonly string[], { disorder }: Writing): string {
  const keyed = lines.map((line, index) => ({ line, key: disorder[index % disorder.length] ?? 0 }));
  return keyed
    .toSorted((first, second) => first.key - second.key)
    .map(({ line }) => line)
    .join('\n');
}

const suffixes = ['th', 'st', 'nd', 'rd'];
const ordinal = (place: number) => `${place}${suffixes[place] ?? 'th'}`;

export const writers: readonly Writer[] = [
  {
    title: 'numbered, tied ones with the same number',
    place: 'below',
    write: (writing) =>
      each(writing, (label, place) => `${place}. ${writing.name(label)}${writing.remark}`).join(
        '\n',
      ),
  },
  {
    title: 'numbered with brackets, tied ones together',
    place: 'below',
    write: (writing) =>
      placed(writing)
        .map(({ group, place }) => `${place}) ${together(writing, group)}`)
        .join('\n'),
  },
  {
    title: 'numbered with hash signs',
    place: 'below',
    write: (writing) =>
      each(writing, (label, place) => `#${place} ${writing.name(label)}${writing.remark}`).join(
        '\n',
      ),
  },
  {
    title: 'ordinals',
    place: 'below',
    write: (writing) =>
      each(
        writing,
        (label, place) => `${ordinal(place)}: ${writing.name(label)}${writing.remark}`,
      ).join('\n'),
  },
  {
    title: 'ranks in words',
    place: 'below',
    write: (writing) =>
      each(writing, (label, place) => `**Rank ${place}:** ${writing.name(label)}`).join('\n'),
  },
  {
    title: 'headings with paragraphs',
    place: 'below',
    write: (writing) =>
      each(
        writing,
        (label, place) => `### ${place}. ${writing.name(label)}\nIt has merit${writing.remark}\n`,
      ).join('\n'),
  },
  {
    title: 'bulleted',
    place: 'below',
    write: (writing) =>
      writing.groups
        .map((group) => `- ${together(writing, group)}${group.length === 1 ? writing.remark : ''}`)
        .join('\n'),
  },
  {
    title: 'one name per line',
    place: 'below',
    write: (writing) => writing.groups.map((group) => together(writing, group)).join('\n'),
  },
  {
    title: 'numbers in one line',
    place: 'beside',
    write: (writing) =>
      placed(writing)
        .map(({ group, place }, index) => `${index === 0 ? 1 : place}. ${together(writing, group)}`)
        .join(' '),
  },
  {
    title: 'greater-than signs',
    place: 'beside',
    write: (writing) => joined(writing, ' = ', ' > '),
  },
  {
    title: 'less-than signs, the worst first',
    place: 'beside',
    write: (writing) => joined({ ...writing, groups: writing.groups.toReversed() }, ' = ', ' < '),
  },
  {
    title: 'arrows, ties by commas',
    place: 'beside',
    write: (writing) => joined(writing, ', ', ' → '),
  },
  { title: 'preference signs', place: 'beside', write: (writing) => joined(writing, ' ≈ ', ' ≻ ') },
  {
    title: 'arrows in lines',
    place: 'below',
    write: (writing) => joined(writing, ' = ', ' >\n'),
  },
  { title: 'semicolons', place: 'beside', write: (writing) => joined(writing, ' = ', '; ') },
  { title: 'commas', place: 'beside', write: (writing) => joined(writing, ' = ', ', ') },
  {
    title: 'a countdown',
    place: 'below',
    write: (writing) =>
      each(writing, (label, place) => `${place}. ${writing.name(label)}`)
        .toReversed()
        .join('\n'),
  },
  {
    title: 'places behind names, in any order',
    place: 'below',
    write: (writing) =>
      shuffled(
        each(writing, (label, place) => `- ${writing.name(label)} (rank ${place})`),
        writing,
      ),
  },
  {
    title: 'a table with the place first',
    place: 'below',
    write: (writing) =>
      [
        '| Rank | Response | Why |',
        '|---|---|---|',
        ...each(
          writing,
          (label, place) => `| ${place} | ${writing.name(label)} | so${writing.remark} |`,
        ),
      ].join('\n'),
  },
  {
    title: 'a table with the place last, in any order',
    place: 'below',
    write: (writing) =>
      [
        '| Response | Score | Rank |',
        '|---|---|---|',
        shuffled(
          each(writing, (label, place) => `| ${writing.name(label)} | 7.5 | ${place} |`),
          writing,
        ),
      ].join('\n'),
  },
  {
    title: 'a JSON array, ties as inner arrays',
    place: 'below',
    write: ({ groups }) =>
      JSON.stringify(
        groups.map((group) => (group.length === 1 ? group[0] : group)),
        undefined,
        2,
      ),
  },
  {
    title: 'JSON objects with ranks, in any order',
    place: 'alone',
    write: (writing) => {
      const items = each(writing, (response, rank) => JSON.stringify({ rank, response }));
      return `That is my review.\n\n\`\`\`json\n{"review": "B is fine", "final_ranking": [\n${shuffled(items, writing).replaceAll('\n', ',\n')}\n]}\n\`\`\``;
    },
  },
];
