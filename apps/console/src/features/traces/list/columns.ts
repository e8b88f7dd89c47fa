import type { TraceSort } from "@sightline/observability/contract";

export type ColumnId =
  | "started"
  | "duration"
  | "steps"
  | "failures"
  | "tokens"
  | "cost"
  | "models"
  | "user"
  | "session"
  | "thread"
  | "scores"
  | "error";

export type Column = {
  readonly id: ColumnId;
  readonly label: string;
  /** Pixels. */
  readonly width: number;
  readonly isNumber?: boolean;
  /** What a click on its head sorts by. */
  readonly sort?: TraceSort;
};

/** Beside status and name, which are always there; in the order in which they are shown. */
export const COLUMNS: readonly Column[] = [
  { id: "started", label: "Started", width: 98, sort: "started" },
  { id: "duration", label: "Duration", width: 86, isNumber: true, sort: "duration" },
  { id: "steps", label: "Steps", width: 56, isNumber: true },
  { id: "failures", label: "Failed", width: 66, isNumber: true, sort: "errors" },
  { id: "tokens", label: "Tokens", width: 74, isNumber: true, sort: "tokens" },
  { id: "cost", label: "Cost", width: 74, isNumber: true, sort: "cost" },
  { id: "models", label: "Model", width: 140 },
  { id: "user", label: "User", width: 82 },
  { id: "session", label: "Session", width: 130 },
  { id: "thread", label: "Thread", width: 130 },
  { id: "scores", label: "Scores", width: 150 },
  { id: "error", label: "Error", width: 280 },
];

export const DEFAULT_COLUMNS: readonly ColumnId[] = ["started", "duration", "steps", "failures", "tokens", "cost", "models", "user"];
