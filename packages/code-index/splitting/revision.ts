/** Raised whenever the same content is split, or its terms or trigrams collected, in another way: documents split by an older one are split anew. */
export const SPLITTER_REVISION = 12;
