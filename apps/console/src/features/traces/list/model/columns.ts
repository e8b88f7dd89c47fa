import {
  LABEL_NAMES,
  type LabelName,
  LISTED_NUMBERS,
  NUMBERS,
  type ListedNumberName,
  type NumberColumn,
  type NumberUnit,
  TRACE_LABELS,
  type TraceSort,
  traceSortSchema,
} from "@sightline/observability/contract";
import { capitalized } from "#ui/words/format.ts";

type OtherColumn =
  | "started"
  | "steps"
  | "failures"
  | "tokens"
  | "models"
  | "user"
  | "session"
  | "thread"
  | "scores"
  | "error"
  | "input"
  | "output"
  | "tags";
export type ColumnId = NumberColumn | OtherColumn | LabelName;

export type Column = {
  readonly label: string;
  /** Pixels. */
  readonly width: number;
  /** It takes what room is left, and no less than its width. */
  readonly isWide?: boolean;
  readonly isNumber?: boolean;
  /** What a click on its head sorts by. */
  readonly sort?: TraceSort | undefined;
} & (
  | { readonly id: OtherColumn }
  | { readonly id: LabelName; readonly isLabel: true }
  | { readonly id: NumberColumn; readonly number: ListedNumberName }
);

/** Beside status and name, which are always there; in the order in which they are shown. */
export const COLUMNS: readonly Column[] = [
  { id: "input", label: "Input", width: 200, isWide: true },
  { id: "output", label: "Output", width: 200, isWide: true },
  { id: "started", label: "Started", width: 98, sort: "started" },
  ...numbers("duration"),
  { id: "steps", label: "Steps", width: 56, isNumber: true },
  { id: "failures", label: "Failed", width: 66, isNumber: true, sort: "errors" },
  { id: "tokens", label: "Tokens", width: 74, isNumber: true, sort: "tokens" },
  ...numbers("money"),
  { id: "models", label: "Model", width: 140 },
  { id: "user", label: "User", width: 82 },
  { id: "session", label: "Session", width: 130 },
  { id: "thread", label: "Thread", width: 130 },
  ...LABEL_NAMES.map((id): Column => ({ id, isLabel: true, label: capitalized(id), width: TRACE_LABELS[id].column.width })),
  { id: "tags", label: "Tags", width: 150 },
  { id: "scores", label: "Scores", width: 150 },
  { id: "error", label: "Error", width: 280 },
];

export const DEFAULT_COLUMNS: readonly ColumnId[] = ["input", "output", "started", "duration", "failures", "tokens", "cost"];

function numbers(unit: NumberUnit): readonly Column[] {
  return LISTED_NUMBERS.filter((name) => NUMBERS[name].unit === unit).map((number) => {
    const { label, field, column } = NUMBERS[number];
    return { id: field.name, number, label, width: column.width, isNumber: true, sort: traceSortSchema.safeParse(field.name).data };
  });
}
