import { Api } from "./api.ts";
import { RefusedError } from "./evaluation-error.ts";
import type { ScoringPlan } from "./plan.ts";
import { type Comparison, type EndedRun, EvaluationResult, type Experiment } from "./result.ts";
import { sdkState } from "../client/sdk-state.ts";
import { processEnvironment } from "../settings/settings.ts";

/** Traces go to the publisher's project, so that is the experiment's. */
export function connect(plan: ScoringPlan): Api {
  return new Api(plan.apiUrl, plan.apiKey, plan.projectId ?? sdkState.publisher?.settings.projectId);
}

export async function readResult(api: Api, plan: ScoringPlan, experiment: Experiment): Promise<EvaluationResult> {
  const path = `/experiments/${experiment.id}`;
  const given = plan.consoleUrl ?? (sdkState.publisher?.settings.consoleUrl || processEnvironment["OBS_CONSOLE_URL"] || "");
  const console = given.replace(/\/+$/, "");
  const url = console === "" ? api.address(path) : `${console}/projects/${api.projectId}${path}`;
  const runs = await api.list<EndedRun>(`${path}/runs`);
  try {
    const comparison = await api.get<Comparison>(`${path}/comparison`, { baseline: plan.baseline, margin: plan.margin });
    return new EvaluationResult(experiment, url, runs, comparison);
  } catch (error) {
    if (!(error instanceof RefusedError)) {
      throw error;
    }
    return new EvaluationResult(experiment, url, runs, undefined, `The platform compared nothing: ${error.message}`);
  }
}
