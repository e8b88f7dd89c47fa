import type { Job } from "@sightline/code-index/contract";
import type { Tone } from "#ui/words/status.tsx";

export const STATUSES: Readonly<Record<Job["status"], { readonly label: string; readonly tone: Tone }>> = {
  queued: { label: "Queued", tone: "idle" },
  running: { label: "Running", tone: "busy" },
  succeeded: { label: "Succeeded", tone: "ok" },
  failed: { label: "Failed", tone: "bad" },
  cancelled: { label: "Cancelled", tone: "warn" },
};

/** Why a job was queued. */
export const TRIGGERS: Readonly<Record<Job["trigger"], string>> = {
  api: "by hand",
  webhook: "push",
  poll: "poll",
  registration: "registration",
  retry: "retry",
  settings: "changed settings",
};

/** How long a job ran, or has run, in milliseconds; `undefined` before it began. */
export function runTime({ started_at: from, completed_at: to }: Job, now: number): number | undefined {
  return from === null ? undefined : Math.max(0, (to === null ? now : Date.parse(to)) - Date.parse(from));
}
