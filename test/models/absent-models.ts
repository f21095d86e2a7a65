/** A council that has no model. */

import type { CouncilModels } from '../../src/council/council.ts';
import { absentModel } from '../../src/models/chat-model.ts';

export const absentModels: CouncilModels = {
  moderator: absentModel,
  sage: () => absentModel,
  reviewer: () => absentModel,
  chair: absentModel,
};
