import type { LangfuseScore } from "./langfuse-schemas.ts";
import type { Tally } from "./tally.ts";

export type ScoreOutcomes = {
  readonly written: (id: string) => void;
  readonly there: (id: string) => void;
  readonly leave: (id: string, reason: string) => void;
  /** Counts each score once: a trace may be a run of several experiments, and one of them is enough. */
  readonly count: (scores: readonly LangfuseScore[], tally: Tally) => void;
};

export function followScores(): ScoreOutcomes {
  const [written, there, left] = [new Set<string>(), new Set<string>(), new Map<string, string>()];
  return {
    written: (id) => written.add(id),
    there: (id) => there.add(id),
    leave: (id, reason) => left.set(id, reason),
    count: (scores, tally) => {
      for (const { id, traceId } of scores) {
        if (written.has(id)) {
          tally.written("scores");
        } else if (there.has(id)) {
          tally.there("scores");
        } else {
          tally.leftOut(
            "scores",
            left.get(id) ?? (traceId === undefined ? "of a session or a whole experiment" : "its trace is of no run that came over"),
          );
        }
      }
    },
  };
}
