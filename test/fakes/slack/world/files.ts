/** A file on its way into a channel. */
export interface Upload {
  readonly id: string;
  readonly name: string;
  /** As it was announced. */
  readonly length: number;
  readonly bytes: Buffer | undefined;
  /** Where it is kept outside of Slack. */
  readonly address?: string;
}
