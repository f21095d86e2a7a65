/**
 * What keeps the council's records, or what its processes share, can't be used at the moment. The message is for
 * the operator. What fails of it is no fault of the program: others are told to come back later.
 */
export class AwayError extends Error {
  override readonly name: string = 'AwayError';
}
