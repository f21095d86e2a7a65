import type { Sage } from '../domain/turn.ts';

/** What a platform keeps of sages beside what they say, e.g. their pictures. */
export interface Faces {
  /**
   * A sage was made for a channel, or is there no more. Returns at once and never throws: a picture that
   * can't be made now is made when the sage speaks.
   */
  sageChanged(sage: Sage, change: 'made' | 'dismissed'): void;
}
