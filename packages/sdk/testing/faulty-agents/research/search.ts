import type { Values } from "./state.ts";
import { web } from "./web.ts";

export async function search(state: Values) {
  const found = await web.invoke({ query: state.query });
  return { found };
}
