import type { DeadLetter } from "@sightline/observability/contract";
import type { Tone } from "#ui/words/status.tsx";
import type { DeadLetterState } from "#features/ingestion/api/dead-letters.ts";

export const DEAD_LETTER_STATES: Readonly<Record<DeadLetter["state"], { readonly label: string; readonly tone: Tone }>> = {
  open: { label: "Open", tone: "warn" },
  replayed: { label: "Replayed", tone: "ok" },
  deleted: { label: "Deleted", tone: "idle" },
};

export const SHOWN: readonly { readonly value: DeadLetterState; readonly label: string }[] = [
  ...(["open", "replayed", "deleted"] as const).map((value) => ({ value, label: DEAD_LETTER_STATES[value].label })),
  { value: "all", label: "All" },
];

export function readDeadLetterState(text: string | undefined): DeadLetterState {
  return SHOWN.find(({ value }) => value === text)?.value ?? "open";
}
