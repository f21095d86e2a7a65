/** A setting in a form, as plain data: a platform draws it as a menu, a modal or a line of text. */

/** Whether a setting applies to one channel or to all channels of a server or workspace. */
const channelScopes = ['channel', 'server'] as const;
export type ChannelScope = (typeof channelScopes)[number];

/** `mine`: a person's own settings in a server or workspace. */
export const settingScopes = [...channelScopes, 'mine'] as const;
export type SettingScope = (typeof settingScopes)[number];

/** Where a value comes from. `file`: the operator's file or a built-in default. */
export type SettingOrigin = SettingScope | 'file';

/** An option of a menu. */
export interface SettingChoice {
  /** The value that the form returns. */
  readonly value: string;
  readonly label: string;
  readonly description?: string;
}

/** Bounds are inclusive. */
export interface NumberRange {
  readonly minimum: number;
  readonly maximum: number;
  readonly isWhole: boolean;
  readonly unit: string;
}

/** The kind of input, the possible values and the current one. */
export type SettingInput =
  /** One of several. */
  | {
      readonly kind: 'choice';
      readonly choices: readonly SettingChoice[];
      readonly chosen: string;
    }
  /** Any number of choices. None means `whenNone`, e.g. `all`. */
  | {
      readonly kind: 'choices';
      readonly choices: readonly SettingChoice[];
      readonly chosen: readonly string[];
      readonly most: number;
      readonly whenNone: string;
    }
  /** With `whenNone`, an empty field is allowed and means e.g. `unlimited`. */
  | (NumberRange & {
      readonly kind: 'number';
      /** Absent for `whenNone`. */
      readonly chosen?: number;
      readonly whenNone?: string;
    })
  /** One line of text. Empty means `whenNone`, e.g. `auto`. */
  | {
      readonly kind: 'text';
      readonly maxChars: number;
      readonly chosen: string;
      readonly whenNone: string;
    }
  /** People, by their ids on the platform. None means `whenNone`, e.g. `nobody`. */
  | {
      readonly kind: 'people';
      readonly chosen: readonly string[];
      readonly most: number;
      readonly whenNone: string;
    }
  | { readonly kind: 'yes_or_no'; readonly chosen: boolean };

/** One setting of a form. */
export interface SettingField {
  /** As used in changes, e.g. `maxDynamicSages`. */
  readonly name: string;
  /** For people, e.g. `Invented sages`. */
  readonly label: string;
  /** One sentence with the effect and the unit. */
  readonly description: string;
  readonly input: SettingInput;
  /** The current value in words. */
  readonly value: string;
  readonly origin: SettingOrigin;
  /** The name of the person who set it. Absent for `file`. */
  readonly setBy?: string;
  /** In milliseconds since 1970. Absent for `file`. */
  readonly setAt?: number;
  /** Why the submitted value was refused. Nothing was changed then. */
  readonly problem?: string;
  /** Stored values that no longer apply, each with the reason, for people. */
  readonly ignored: readonly string[];
}
