import type { LegName } from "#contract.ts";
import { byLetters } from "./by-letters.ts";
import { byMeaning } from "./by-meaning.ts";
import { byWords } from "./by-words.ts";
import type { Leg } from "./leg.ts";

/** The search methods, by the names that answers give them; ranking/fuse.ts says how much each counts. */
export const LEGS: Readonly<Record<LegName, Leg>> = { semantic: byMeaning, bm25: byWords, exact: byLetters };
