import { Anchor } from "@mantine/core";
import type { TraceDigest } from "@sightline/observability/contract";
import { Link } from "@tanstack/react-router";

/** To the list of all traces that share a session, user or thread with this one. */
export function TraceLinks({ projectId, trace }: { readonly projectId: string; readonly trace: TraceDigest }) {
  const shared = [
    { field: "session", value: trace.session_id },
    { field: "user", value: trace.user_id },
    { field: "thread", value: trace.thread_id },
  ] as const;
  return shared.map(({ field, value }) =>
    value === null ? null : (
      <span key={field}>
        {field}{" "}
        <Anchor
          component={Link}
          fz="inherit"
          underline="always"
          to="/projects/$projectId/traces"
          params={{ projectId }}
          search={{ q: `${field}:${quoted(value)}` }}
          title={`All traces of this ${field}`}
        >
          {value.length > MAX_LENGTH ? `${value.slice(0, MAX_LENGTH)}…` : value}
        </Anchor>
      </span>
    ),
  );
}

/** Ids can be as long as whoever made them likes. */
const MAX_LENGTH = 24;

/** A value as the list's query takes it, whatever is in it. */
function quoted(value: string): string {
  return `"${value.replaceAll(/["\\]/g, String.raw`\$&`)}"`;
}
