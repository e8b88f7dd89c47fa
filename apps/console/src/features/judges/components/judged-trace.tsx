import { Anchor } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { z } from "zod";

const judgedSchema = z.object({ metadata: z.object({ judged_trace: z.uuid() }) });

type JudgedTraceProps = { readonly projectId: string; readonly attributes: Readonly<Record<string, unknown>> };

/** The way from a judge's trace to what it judged; a run without a trace has none. */
export function JudgedTrace({ projectId, attributes }: JudgedTraceProps) {
  const traceId = judgedSchema.safeParse(attributes).data?.metadata.judged_trace;
  return traceId === undefined ? null : (
    <Anchor component={Link} to="/projects/$projectId/traces/$traceId" params={{ projectId, traceId }} underline="always">
      The trace that it judged
    </Anchor>
  );
}
