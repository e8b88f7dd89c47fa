import type { Step, TraceDigest } from "@sightline/observability/contract";

/** What every view of a trace gets; what else it shows it asks for itself. */
export type TraceViewProps = {
  readonly projectId: string;
  readonly trace: TraceDigest;
  /** Parents before their children, siblings by start; those that are there so far. */
  readonly steps: readonly Step[];
  /** Whether these are all there are. */
  readonly complete: boolean;
  /** A step's id, or the trace's. */
  readonly selected: string;
  readonly onSelect: (id: string) => void;
};
