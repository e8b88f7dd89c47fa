import type { Delivery } from "@sightline/code-index/contract";
import type { Tone } from "#ui/words/status.tsx";

export const STATUSES: Readonly<Record<Delivery["status"], { readonly label: string; readonly tone: Tone }>> = {
  accepted: { label: "Accepted", tone: "ok" },
  ignored: { label: "Ignored", tone: "idle" },
};
