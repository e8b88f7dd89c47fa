import type { TraceDigest } from "@sightline/observability/contract";

/** What to ask an assistant that has Sightline's tools about a trace, and about the step that is being looked at. */
export function assistantPrompt({
  trace: { id, name, failures, status },
  projectId,
  stepId,
}: {
  readonly trace: Pick<TraceDigest, "id" | "name" | "failures" | "status">;
  readonly projectId: string;
  readonly stepId: string | undefined;
}): string {
  const isFailed = failures > 0 || status === "failure";
  return [
    isFailed
      ? "What went wrong in this agent's run, and in which line of the code?"
      : "What did this agent do in this run, and what took the longest?",
    `Use Sightline's tool get_trace with the project ${projectId} and the trace ${id} ("${name}"), get_observation for the steps that matter, and read_file for the code they ran.`,
    ...(stepId === undefined ? [] : [`Look at the observation ${stepId} first.`]),
  ].join(" ");
}
