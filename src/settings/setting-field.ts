/**
 * A setting as a form shows it: what it is, what it may be, what it is now and who said so. Plain
 * data, from which a platform makes a menu, a modal or a line of text.
 */

/** Where a setting is made: for one channel, or for all channels of a server or workspace. */
export const settingScopes = ['channel', 'server'] as const;
export type SettingScope = (typeof settingScopes)[number];

/** Where a value comes from; `file`: nobody has set it, so it is as the operator's files say. */
export type SettingOrigin = SettingScope | 'file';

/** Something to pick. */
export interface SettingChoice {
  /** What is handed back when it is picked. */
  readonly value: string;
  readonly label: string;
  readonly description?: string;
}

/** How a value is given, what it may be, and what it is now. */
export type SettingInput =
  /** One of a few. */
  | {
      readonly kind: 'choice';
      readonly choices: readonly SettingChoice[];
      readonly chosen: string;
    }
  /** Several of a few; picking none means `whenNone`, e.g. `all`. */
  | {
      readonly kind: 'choices';
      readonly choices: readonly SettingChoice[];
      readonly chosen: readonly string[];
      readonly most: number;
      readonly whenNone: string;
    }
  /** Both bounds are included. Where `whenNone` is there, leaving it empty means that, e.g. `unlimited`. */
  | {
      readonly kind: 'number';
      readonly minimum: number;
      readonly maximum: number;
      readonly isWhole: boolean;
      readonly unit: string;
      /** Absent while `whenNone` holds. */
      readonly chosen?: number;
      readonly whenNone?: string;
    }
  /** One line of words; leaving it empty means `whenNone`, e.g. `auto`. */
  | {
      readonly kind: 'text';
      readonly maxChars: number;
      readonly chosen: string;
      readonly whenNone: string;
    }
  /** People, by the platform's own ids; naming none means `whenNone`, e.g. `nobody`. */
  | {
      readonly kind: 'people';
      readonly chosen: readonly string[];
      readonly most: number;
      readonly whenNone: string;
    }
  | { readonly kind: 'yes_or_no'; readonly chosen: boolean };

/** One setting of a form. */
export interface SettingField {
  /** What it is called in a change, e.g. `maxDynamicSages`. */
  readonly name: string;
  /** What people call it, e.g. `Invented sages`. */
  readonly label: string;
  /** A sentence that says what it does, with its unit. */
  readonly description: string;
  readonly input: SettingInput;
  /** The value that holds, as people read it. */
  readonly value: string;
  readonly origin: SettingOrigin;
  /** Who made it, by name; absent for `file`. */
  readonly setBy?: string;
  /** Milliseconds since 1970; absent for `file`. */
  readonly setAt?: number;
  /** What was wrong with the value that was just given for it; then nothing was changed at all. */
  readonly problem?: string;
  /** Values that were set once and do not hold any more, each with the reason, for people. */
  readonly ignored: readonly string[];
}
