import { withPrefix, type Dialect } from "./dialect.ts";

const NAMES = ["gen_ai.server.time_to_first_token"];

/** OpenLIT's time to first token is in seconds. Strands Agents write milliseconds by that name, which are more seconds than the call took. */
export const openLit: Dialect = {
  name: "OpenLIT",
  canRead: withPrefix("gen_ai"),
  facts: { firstTokenSeconds: NAMES, firstTokenMilliseconds: NAMES },
};
