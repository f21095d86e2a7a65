/**
 * A setting as a form shows it: its words, the possible values, the current one and who set it. Plain
 * data that a platform draws as a menu, a modal or a line of text.
 */

/** What a channel's setting applies to: one channel, or all channels of a server or workspace. */
const channelScopes = ['channel', 'server'] as const;
export type ChannelScope = (typeof channelScopes)[number];

/** `mine`: what a person sets for themselves, in all of a server or workspace. */
export const settingScopes = [...channelScopes, 'mine'] as const;
export type SettingScope = (typeof settingScopes)[number];

/** Where a value comes from; `file`: it is not set in chat, so the operator's file decides. */
export type SettingOrigin = SettingScope | 'file';

/** Something to pick. */
export interface SettingChoice {
  /** What the form returns when it is picked. */
  readonly value: string;
  readonly label: string;
  readonly description?: string;
}

/** How a form asks for a value, what is possible, and the current one. */
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
  /** Bounds are included. With `whenNone`, an empty field means that, e.g. `unlimited`. */
  | {
      readonly kind: 'number';
      readonly minimum: number;
      readonly maximum: number;
      readonly isWhole: boolean;
      readonly unit: string;
      /** Absent for `whenNone`. */
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
  /** Its name in a change, e.g. `maxDynamicSages`. */
  readonly name: string;
  /** Its name for people, e.g. `Invented sages`. */
  readonly label: string;
  /** One sentence: what it does, with its unit. */
  readonly description: string;
  readonly input: SettingInput;
  /** The current value, as people read it. */
  readonly value: string;
  readonly origin: SettingOrigin;
  /** Name of the person who set it; absent for `file`. */
  readonly setBy?: string;
  /** Milliseconds since 1970; absent for `file`. */
  readonly setAt?: number;
  /** Why the value just given was refused; then nothing was changed at all. */
  readonly problem?: string;
  /** Values that were set and no longer apply, each with the reason, for people. */
  readonly ignored: readonly string[];
}
