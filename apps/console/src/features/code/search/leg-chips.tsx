import { Tooltip } from "@mantine/core";
import type { SearchAnswer, SearchResult } from "@sightline/code-index/contract";
import { formatDuration } from "#ui/words/format.ts";
import { Status, type Tone } from "#ui/words/status.tsx";
import classes from "./leg-chips.module.css";

type Leg = keyof SearchAnswer["legs"];

const LEGS: readonly { readonly name: Leg; readonly label: string; readonly means: string }[] = [
  { name: "semantic", label: "Semantic", means: "by meaning" },
  { name: "bm25", label: "Keyword", means: "by keywords" },
  { name: "exact", label: "Exact", means: "by the exact text" },
];

/** The ways of searching in words; where vectors know no meaning, they are not said to. */
function waysOf(searched: SearchAnswer["legs"]): typeof LEGS {
  return LEGS.map((leg) => (searched[leg.name].by === "spelling" ? { name: leg.name, label: "Spelling", means: "by like spelling" } : leg));
}

/** Why a result is where it is: the legs that found it, with its rank in each. */
export function LegChips({ legs, searched }: { readonly legs: SearchResult["legs"]; readonly searched: SearchAnswer["legs"] }) {
  return (
    <ul className={classes.chips} aria-label="Found by">
      {waysOf(searched).map(({ name, label, means }) => {
        const rank = legs[name];
        return rank === undefined ? null : (
          <Tooltip key={name} label={`Number ${rank} ${means}`}>
            <li className={classes.chip}>
              {label} <span className={classes.rank}>#{rank}</span>
            </li>
          </Tooltip>
        );
      })}
    </ul>
  );
}

const TONES: Readonly<Record<SearchAnswer["legs"][Leg]["state"], Tone>> = {
  ok: "ok",
  skipped: "idle",
  pending: "busy",
  degraded: "warn",
  timeout: "bad",
};

/** How each way of searching fared, so that a missing one is seen. */
export function LegStates({ answer }: { readonly answer: SearchAnswer }) {
  const { reranker } = answer;
  return (
    <ul className={classes.states} aria-label="Search methods">
      {waysOf(answer.legs).map(({ name, label }) => {
        const { state, reason, ms, hits } = answer.legs[name];
        return (
          <Tooltip key={name} label={reason ?? `${hits} found in ${formatDuration(ms)}`} multiline maw={360}>
            <li>
              <Status tone={TONES[state]}>
                {label}
                {state !== "ok" && <span className={classes.figure}>{state}</span>}
              </Status>
            </li>
          </Tooltip>
        );
      })}
      {reranker !== undefined && (
        <Tooltip label={reranker.reason ?? `Put in order in ${formatDuration(reranker.ms)}`} multiline maw={360}>
          <li>
            <Status tone={reranker.state === "ok" ? "ok" : "warn"}>
              Reranker
              <span className={classes.figure}>{reranker.state === "ok" ? formatDuration(reranker.ms) : reranker.state}</span>
            </Status>
          </li>
        </Tooltip>
      )}
    </ul>
  );
}
