/** What an entry of the table of settings is: all there is to one setting of a channel or server. */

import type { SettingKind } from './channel-kinds.ts';
import type { Settings } from './file-table.ts';
import type { SettingField } from './setting-field.ts';

/** What values are checked against, besides the operator's own value for the setting. */
export interface SettingSurroundings {
  /** Who could sit: the predefined sages, and in a channel its custom ones. */
  readonly sages: readonly {
    readonly key: string;
    readonly name: string;
    readonly description: string;
  }[];
  /** `provider:model` of all that the operator has set up. */
  readonly models: readonly string[];
  readonly maxSages: number;
}

/** `provider:model` of the operator's choice for each part. */
interface StandardModels {
  readonly moderator: string;
  readonly chair: string;
}

/** An entry of the table. Server managers may change any setting, channel managers those without `whyOfServer`. */
export interface SettingDefinition<Value> extends Pick<SettingField, 'label' | 'description'> {
  /** Why a channel can't have its own value, for people; absent: it can. */
  readonly whyOfServer?: string;
  /** The value until it is set: what the operator's file says. */
  readonly fallback: (file: Settings, models: StandardModels) => Value;
  /**
   * @param fallback - Also bounds some settings, because the operator pays and answers for them: no
   *   channel spends or asks more, or remembers where the operator keeps nothing, and no server keeps
   *   what was said for longer.
   */
  readonly kind: (here: SettingSurroundings, fallback: Value) => SettingKind<Value>;
}
