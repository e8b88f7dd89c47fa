import type { ObservationStatus } from "@sightline/observability/contract";
import { Status, type Tone } from "./status.tsx";

export const STATUSES: Readonly<Record<ObservationStatus, { readonly tone: Tone; readonly label: string }>> = {
  running: { tone: "busy", label: "Running" },
  success: { tone: "ok", label: "Success" },
  failure: { tone: "bad", label: "Failure" },
  interrupted: { tone: "warn", label: "Interrupted" },
  abandoned: { tone: "idle", label: "Abandoned" },
};

export function TraceStatus({ status }: { readonly status: ObservationStatus }) {
  const { tone, label } = STATUSES[status];
  return <Status tone={tone}>{label}</Status>;
}
