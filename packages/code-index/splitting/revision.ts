/** Raised whenever the same content comes out of the splitter in another way: documents split by an older one are split anew. */
export const SPLITTER_REVISION = 5;
