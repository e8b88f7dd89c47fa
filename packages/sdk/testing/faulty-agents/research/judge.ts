import { rank } from "./rank.ts";
import type { Values } from "./state.ts";

export async function judge(state: Values) {
  const grade = await rank.invoke({ found: state.found });
  return { grade };
}

export function isEnough(state: Values) {
  return state.grade === "poor" ? "search" : "write";
}
