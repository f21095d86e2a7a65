/** Forms in which a person types, as data that any chat can draw as a modal. */

/** One text to be typed. */
export interface TextInput {
  readonly name: string;
  readonly label: string;
  readonly hint: string;
  readonly maxChars: number;
  /** It takes several lines; absent: one. */
  readonly isLong?: true;
  /** It may be left empty; absent: it may not. */
  readonly isOptional?: true;
  /** The text that it is filled with; absent: none. */
  readonly value?: string;
}

export interface TextForm {
  readonly title: string;
  /** Label of the button that sends it, on platforms that let it be named. */
  readonly submit: string;
  readonly inputs: readonly TextInput[];
}

/** Describes a sage. The inputs are the options of the command `summon`. */
export const summonForm = {
  title: 'A sage for this channel',
  submit: 'Draft',
  inputs: [
    { name: 'name', label: 'Name', hint: 'Not yet taken on this bench', maxChars: 80 },
    {
      name: 'description',
      label: 'Description',
      hint: 'Who it is and what it is for, in a sentence or two',
      maxChars: 1000,
      isLong: true,
    },
  ],
} as const satisfies TextForm;

/** The forms that ask for a command's options, by the command's name. */
export const commandForms: Readonly<Record<string, TextForm | undefined>> = { summon: summonForm };

/** Says what a person wants to know about a message; all of it may be left empty. */
export const aboutForm = {
  title: 'Ask the council',
  submit: 'Ask',
  inputs: [
    {
      name: 'question',
      label: 'What do you want to know about it?',
      hint: 'Leave it empty to hear what the sages make of it',
      maxChars: 1000,
      isLong: true,
      isOptional: true,
    },
  ],
} as const satisfies TextForm;
