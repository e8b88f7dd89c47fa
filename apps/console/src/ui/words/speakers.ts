import type { TranscriptMessage } from "@sightline/observability/contract";

export const SPEAKERS: Readonly<Record<TranscriptMessage["role"], string>> = {
  system: "System",
  user: "User",
  assistant: "Assistant",
  tool: "Tool",
  other: "Other",
};
