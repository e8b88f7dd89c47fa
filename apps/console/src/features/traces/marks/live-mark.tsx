import { Status } from "#ui/words/status.tsx";
import type { LiveState } from "#features/traces/api/use-live.ts";

const STATES = {
  connecting: { tone: "idle", label: "Connecting" },
  live: { tone: "ok", label: "Live" },
  reconnecting: { tone: "warn", label: "Reconnecting" },
} as const satisfies Readonly<Record<LiveState, unknown>>;

/** How new what is shown is. */
export function LiveMark({ state }: { readonly state: LiveState }) {
  return (
    <span role="status">
      <Status tone={STATES[state].tone}>{STATES[state].label}</Status>
    </span>
  );
}
