import type { Experiment } from "@sightline/observability/contract";
import { Status, type Tone } from "#ui/words/status.tsx";
import { formatExactCount } from "#ui/words/format.ts";

const STATES: Readonly<Record<Experiment["state"], { readonly tone: Tone; readonly label: string }>> = {
  running: { tone: "busy", label: "Running" },
  finished: { tone: "ok", label: "Finished" },
  cancelled: { tone: "idle", label: "Cancelled" },
};

export function ExperimentState({ state }: { readonly state: Experiment["state"] }) {
  const { tone, label } = STATES[state];
  return <Status tone={tone}>{label}</Status>;
}

/** How many runs an experiment has of those that it will have, and what is wrong with them. */
export function RunCounts({ experiment: { runs, items, repetitions } }: { readonly experiment: Experiment }) {
  const done = runs.succeeded + runs.failed + runs.missing;
  const wrong = [
    ...(runs.failed > 0 ? [`${formatExactCount(runs.failed)} failed`] : []),
    ...(runs.missing > 0 ? [`${formatExactCount(runs.missing)} missing`] : []),
    ...(runs.unchecked > 0 ? [`${formatExactCount(runs.unchecked)} not checked yet`] : []),
  ].join(", ");
  return (
    <>
      {formatExactCount(done)} of {formatExactCount(items * repetitions)}
      {wrong !== "" && `, ${wrong}`}
    </>
  );
}
