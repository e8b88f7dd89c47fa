import type { ColumnType, Generated } from "kysely";
import type { EvaluatorDefinition, JudgeRule, KeptCalibration, ModelProvider } from "./contract.ts";

/** Rows of models and judges, a part of the schema. */
export type JudgeSchema = {
  "observability.model_connections": ModelConnectionRow;
  "observability.evaluators": EvaluatorRow;
  "observability.evaluator_versions": EvaluatorVersionRow;
  "observability.judge_rules": JudgeRuleRow;
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
  calibration: ColumnType<KeptCalibration | null, string | undefined, string>;
  calibrated_at: Date | null;
  created_by: string;
  created_at: Generated<Date>;
};

type EvaluatorVersionRow = {
  project_id: string;
  evaluator_id: string;
  version: number;
  definition: ColumnType<EvaluatorDefinition, string, never>;
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
  baseline_id: string | null;
  sampling: number;
  budget: number | null;
  is_active: Generated<boolean>;
  problem: string | null;
  problem_since: Date | null;
  retry_at: Date | null;
  created_by: string;
  created_at: Generated<Date>;
};
