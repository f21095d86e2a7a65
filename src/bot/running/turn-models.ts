/** The models that work for a turn, or for anything else that somebody pays for. */

import type { CouncilModels } from '../../council/council.ts';
import type { CallUsage, ChatModel } from '../../models/chat-model.ts';
import type { Embedder } from '../../models/embeddings.ts';
import type { ChannelSettings } from '../../settings/channel-settings.ts';

/** Which models a channel has chosen for itself, and for whom they are asked. */
export interface ModelChoice
  extends Pick<ChannelSettings, 'moderatorModel' | 'sageModel' | 'reviewerModel' | 'chairModel'> {
  /** Providers answer workspaces in turn: `platform:workspace`. */
  readonly workspace: string;
}

/**
 * The models of one turn; every call of theirs is given to `count`.
 *
 * @param mayCall - Asked right before each call; throws when it is not to be paid for any more.
 */
export type OpenModels = (
  count: (call: CallUsage) => void,
  choice: ModelChoice,
  mayCall?: () => Promise<void>,
) => TurnModels;

export interface TurnModels extends CouncilModels {
  /** Shortens long histories. */
  readonly compactor: ChatModel;
  /** Absent: what is remembered is searched by words alone. */
  readonly embedder?: Embedder;
}
