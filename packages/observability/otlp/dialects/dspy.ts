import type { Dialect } from "./dialect.ts";

const METHOD = ".__call__";

/** DSPy's tools are named by the method that calls them. */
export const dspy: Dialect = {
  name: "DSPy",
  canRead: ({ name }) => name.endsWith(METHOD),
  facts: { toolName: ({ name }) => name.slice(0, -METHOD.length) },
};
