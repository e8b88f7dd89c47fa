import type { ColumnType, Generated } from "kysely";
import type { JudgeDefinition, JudgeRule, JudgementState, ModelProvider } from "./contract.ts";

/** Rows of models and judges, a part of the schema. */
export type JudgeSchema = {
  "observability.model_connections": ModelConnectionRow;
  "observability.evaluators": EvaluatorRow;
  "observability.evaluator_versions": EvaluatorVersionRow;
  "observability.judge_rules": JudgeRuleRow;
  "observability.judgements": JudgementRow;
};

type ModelConnectionRow = {
  id: string;
  project_id: string;
  name: string;
  provider: ModelProvider;
  base_url: string;
  sealed_key: string | null;
  created_by: string;
  created_at: Generated<Date>;
};

type EvaluatorRow = {
  id: string;
  project_id: string;
  name: string;
  version: number;
  created_by: string;
  created_at: Generated<Date>;
};

type EvaluatorVersionRow = {
  project_id: string;
  evaluator_id: string;
  version: number;
  definition: ColumnType<JudgeDefinition, string, never>;
  author: string;
  made_at: Generated<Date>;
};

type JudgeRuleRow = {
  id: string;
  project_id: string;
  evaluator_id: string;
  kind: JudgeRule["kind"];
  q: string;
  experiment_id: string | null;
  sampling: number;
  budget: number | null;
  is_active: Generated<boolean>;
  created_by: string;
  created_at: Generated<Date>;
};

type JudgementRow = {
  project_id: string;
  rule_id: string;
  subject: string;
  evaluator_id: string;
  trace_id: string | null;
  experiment_id: string | null;
  item_id: string | null;
  repetition: number | null;
  attempt: number | null;
  state: Generated<JudgementState>;
  reason: string | null;
  version: number | null;
  tries: Generated<number>;
  due_at: Generated<Date>;
  claim: string | null;
  judge_traces: Generated<string[]>;
  cost: Generated<number>;
  chosen_at: Generated<Date>;
  ended_at: Date | null;
};
