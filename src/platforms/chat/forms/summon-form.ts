/** The form in which a member describes a sage; what is typed into it are the options of `summon`. */
export const summonForm = {
  command: 'summon',
  title: 'A sage for this channel',
  inputs: [
    {
      name: 'name',
      label: 'Name',
      hint: 'Not yet taken on this bench',
      maxChars: 80,
      isLong: false,
    },
    {
      name: 'description',
      label: 'Description',
      hint: 'Who it is and what it is for, in a sentence or two',
      maxChars: 1000,
      isLong: true,
    },
  ],
} as const;
