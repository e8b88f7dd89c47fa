import { z } from "zod";

/** What a definition is, as its language's grammar has it. */
export const symbolKindSchema = z.enum([
  "function",
  "method",
  "class",
  "interface",
  "type",
  "enum",
  "field",
  "property",
  "constant",
  "module",
  "macro",
]);

/**
 * What a line does with a name, the strongest first, since a line that does several things is counted once. `write`: assigns,
 * binds or declares it. `implementation`: extends or implements it. `text`: strings, comments and files without a grammar. A name is read where nothing says otherwise.
 */
export const useKindSchema = z.enum(["definition", "implementation", "import", "write", "call", "type", "read", "text"]);
export type UseKind = z.infer<typeof useKindSchema>;
