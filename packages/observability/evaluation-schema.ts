import type { ColumnType, Generated } from "kysely";
import type { Check, CheckResult } from "./contract/checks.ts";
import type { CodeLine, ItemSource } from "./contract/datasets.ts";
import type { Json, JsonObject } from "./contract/parts.ts";
import type { PromptTemplate } from "./contract/prompts.ts";
import type { NodeFact } from "./divergence/node-facts.ts";
import type { Evaluator, GateVerdict, ScoreMean } from "./contract/experiments.ts";
import type { PlaygroundRequest } from "./contract/playground.ts";

/** Rows of datasets, experiments and prompts, a part of the schema. */
export type EvaluationSchema = {
  "observability.datasets": DatasetRow;
  "observability.dataset_versions": DatasetVersionRow;
  "observability.item_revisions": ItemRevisionRow;
  "observability.experiments": ExperimentRow;
  "observability.experiment_runs": ExperimentRunRow;
  "observability.run_scores": RunScoreRow;
  "observability.prompts": PromptRow;
  "observability.prompt_versions": PromptVersionRow;
  "observability.prompt_labels": PromptLabelRow;
};

/** Written as JSON text: a driver would make an array of a list, and nothing of a text. */
type JsonText<Value> = ColumnType<Value, string, string>;

type DatasetRow = {
  project_id: string;
  id: string;
  name: string;
  description: string;
  version: Generated<number>;
  items: Generated<number>;
  input_schema: JsonText<JsonObject | null>;
  expected_schema: JsonText<JsonObject | null>;
  created_by: string;
  created_at: Generated<Date>;
  changed_at: Generated<Date>;
};

type DatasetVersionRow = {
  project_id: string;
  dataset_id: string;
  version: number;
  author: string;
  reason: string;
  made_at: Generated<Date>;
  added: number;
  changed: number;
  deleted: number;
};

type ItemRevisionRow = {
  project_id: string;
  dataset_id: string;
  item_id: string;
  version: number;
  until_version: number | null;
  input: JsonText<Json>;
  expected: JsonText<Json>;
  checks: JsonText<readonly Check[]>;
  metadata: JsonText<JsonObject>;
  split: string | null;
  subject: string | null;
  cluster: string | null;
  is_required: boolean;
  source: JsonText<ItemSource | null>;
  trace_id: string | null;
  content_hash: string;
  revision_hash: string;
  redacted_at: Generated<Date | null>;
};

type ExperimentRow = {
  project_id: string;
  id: string;
  dataset_id: string;
  dataset_version: number;
  split: string | null;
  name: string;
  branch: string | null;
  commit: string | null;
  is_dirty: boolean;
  config: JsonText<JsonObject>;
  call: ColumnType<PlaygroundRequest | null, string | undefined, null>;
  repetitions: number;
  evaluators: JsonText<readonly Evaluator[]>;
  author: string;
  state: Generated<"running" | "finished" | "cancelled">;
  created_at: Generated<Date>;
  ended_at: Date | null;
  items: number;
  means: ColumnType<readonly ScoreMean[], string | undefined, string>;
  gate: ColumnType<GateVerdict | null, never, string>;
};

type ExperimentRunRow = {
  project_id: string;
  experiment_id: string;
  item_id: string;
  repetition: number;
  attempt: number;
  state: "succeeded" | "failed" | "missing";
  output: JsonText<Json>;
  error: string | null;
  trace_id: string | null;
  started_at: Date | null;
  duration_ms: number | null;
  cost: Generated<number | null>;
  tokens: Generated<number | null>;
  place: ColumnType<CodeLine | null, string | undefined, string>;
  nodes: ColumnType<readonly NodeFact[] | null, string | undefined, string>;
  checks: ColumnType<readonly CheckResult[] | null, string | null, string | null>;
  is_newest: Generated<boolean>;
};

type RunScoreRow = {
  project_id: string;
  experiment_id: string;
  item_id: string;
  repetition: number;
  attempt: number;
  source: "application" | "check" | "judge";
  name: string;
  evaluator_version: string;
  value: number | null;
  text_value: Generated<string | null>;
  is_boolean: boolean;
  explanation: string | null;
  error: string | null;
};

type PromptRow = {
  project_id: string;
  id: string;
  name: string;
  version: Generated<number>;
  created_by: string;
  created_at: Date;
  changed_at: Date;
};

type PromptVersionRow = {
  project_id: string;
  prompt_id: string;
  version: number;
  template: JsonText<PromptTemplate>;
  config: JsonText<JsonObject>;
  author: string;
  reason: string;
  made_at: Date;
};

type PromptLabelRow = { project_id: string; prompt_id: string; label: string; version: number; changed_by: string; changed_at: Date };
