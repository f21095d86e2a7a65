/** No bit of a bit field is set. Typed as a number, because the types of the fields list single bits only. */
export const noFlags: number = 0;
