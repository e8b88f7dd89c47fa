/** Where a page ended: the row's time in microseconds since 1970, as text since it is a 64-bit number, and its id. */
export type Position = {
  readonly micros: string;
  readonly id: string;
};
