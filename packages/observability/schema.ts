import type { ColumnType, Generated, Kysely } from "kysely";
import type { BLOBS, DEAD_LETTERS, GRAPHS, OBSERVATIONS, PAYLOADS, PRODUCERS, RowOf, SCORES, TRACES } from "./event-columns.ts";
import type { EvaluationSchema } from "./evaluation-schema.ts";
import type { JudgeSchema } from "./judge-schema.ts";
import type { ShareLink } from "./contract/sharing.ts";
import type { ChartKind, ChartMeasure } from "./contract/figures.ts";
import type { ScoreConfig } from "./contract/score-configs.ts";
import type { Score } from "./contract/scores.ts";
import type { AlertChannelKind, AlertFilter, AlertMetric, ToldIssue } from "./contract/project-alerts.ts";

export type { GraphMove, GraphStep } from "./event-columns.ts";

/** Rows of the schema `observability`; what the columns mean is said in the migrations. */
export type ObservabilitySchema = EvaluationSchema &
  JudgeSchema & {
    "observability.projects": ProjectRow;
    "observability.project_members": ProjectMemberRow;
    "observability.traces": TraceRow;
    "observability.observations": ObservationRow;
    "observability.payloads": PayloadRow;
    "observability.graphs": RowOf<typeof GRAPHS>;
    "observability.blobs": RowOf<typeof BLOBS>;
    "observability.scores": ScoreRow;
    "observability.producers": ProducerRow;
    "observability.ingest_gaps": IngestGapRow;
    "observability.dead_letters": DeadLetterRow;
    "observability.api_keys": ApiKeyRow;
    "observability.views": ViewRow;
    "observability.share_links": ShareLinkRow;
    "observability.charts": ChartRow;
    "observability.score_configs": ScoreConfigRow;
    "observability.masking": MaskingRow;
    "observability.alert_channels": AlertChannelRow;
    "observability.alert_rules": AlertRuleRow;
    "observability.alert_events": AlertEventRow;
    "observability.alert_notifications": AlertNotificationRow;
  };

/** The database as statements see it: the pool, or one transaction. */
export type Query = Kysely<ObservabilitySchema>;

/** A column that the database sets; it is never written. */
type Derived<Value> = ColumnType<Value, never, never>;

type ProjectRow = {
  id: string;
  tenant_id: string;
  name: string;
  created_at: Generated<Date>;
  retention_days: Generated<number | null>;
  access: Generated<"tenant" | "members">;
  has_judges: Generated<boolean>;
  is_sharing: Generated<boolean>;
  playground_budget: Generated<number | null>;
};

type ProjectMemberRow = {
  project_id: string;
  user_id: string;
  role: "viewer" | "editor" | "owner";
  added_at: Generated<Date>;
  added_by: string;
};

type MaskingRow = {
  project_id: string;
  keys: string[];
  patterns: { readonly name: string; readonly expression: string }[];
  changed_at: Date;
  changed_by: string;
};

export type TraceRow = RowOf<typeof TRACES> & {
  /** `pg` reads a day as midnight in the process' time zone, so days are compared in the database only. */
  day: Generated<Date>;
  tags: Generated<string[] | null>;
  sort_at: Derived<Date>;
  session_id: Derived<string | null>;
  user_id: Derived<string | null>;
  status: Derived<"running" | "success" | "failure" | "interrupted">;
};

export type ObservationRow = RowOf<typeof OBSERVATIONS> & {
  day: Date;
  model: Derived<string | null>;
  uncached_tokens: Derived<number>;
  hour: Derived<Date>;
};

export type PayloadRow = RowOf<typeof PAYLOADS> & { day: Date };

type ScoreRow = RowOf<typeof SCORES> & {
  author: string | null;
  source: Generated<Score["source"]>;
  evaluator_version: number | null;
  judge_trace_id: string | null;
  queue_id: string | null;
  is_resolution: Generated<boolean>;
};

type ProducerRow = RowOf<typeof PRODUCERS> & {
  heard_at: Generated<Date>;
  gone_at: Date | null;
  holes: Derived<string>;
  suspects: Generated<string[]>;
  suspected_at: Generated<Date[]>;
  checked_at: Date | null;
  lost: Generated<string>;
};

type IngestGapRow = {
  id: Generated<string>;
  project_id: string;
  producer_id: string;
  first_seq: number;
  last_seq: number;
  found_at: Generated<Date>;
};

type DeadLetterRow = RowOf<typeof DEAD_LETTERS> & {
  created_at: Generated<Date>;
  replayed_at: Date | null;
  replayed_by: string | null;
  deleted_at: Date | null;
  deleted_by: string | null;
  state: Derived<"open" | "replayed" | "deleted">;
};

type ApiKeyRow = {
  id: string;
  project_id: string;
  name: string;
  prefix: string;
  key_sha256: string;
  scopes: string[];
  created_by: string;
  created_at: Generated<Date>;
  last_used_at: Date | null;
  revoked_at: Date | null;
};

type ViewRow = {
  id: string;
  project_id: string;
  author: string;
  name: string;
  query: string;
  sort: "started" | "duration" | "cost" | "tokens" | "errors";
  sort_order: "asc" | "desc";
  columns: string[];
  is_shared: boolean;
  changed_at: Generated<Date>;
};

type ScoreConfigRow = Omit<ScoreConfig, "changed_at"> & { project_id: string; changed_at: Date };

type ShareLinkRow = Omit<ShareLink, "created_at" | "expires_at"> & {
  project_id: string;
  token_sha256: string;
  created_at: Date;
  expires_at: Date;
};

type ChartRow = {
  id: string;
  project_id: string;
  author: string;
  name: string;
  measure: ChartMeasure;
  grouped_by: string | null;
  query: string;
  kind: ChartKind;
  place: number;
  changed_at: Generated<Date>;
};

type AlertChannelRow = {
  id: string;
  project_id: string;
  name: string;
  kind: AlertChannelKind;
  host: string;
  sealed_url: string;
  sealed_secret: string | null;
  created_by: string;
  created_at: Generated<Date>;
  last_sent_at: Date | null;
  last_problem: string | null;
};

type AlertRuleRow = {
  id: string;
  project_id: string;
  name: string;
  metric: AlertMetric;
  threshold: number;
  window_minutes: number;
  filter: AlertFilter;
  channel_ids: string[];
  is_enabled: boolean;
  changed_by: string;
  changed_at: Generated<Date>;
  is_firing: Generated<boolean>;
  since: Date | null;
  last_value: number | null;
  evaluated_at: Date | null;
  problem: string | null;
  belows: Generated<number>;
  claim: string | null;
  claimed_at: Date | null;
};

type AlertEventRow = {
  id: string;
  project_id: string;
  rule_id: string;
  rule_name: string;
  kind: "fired" | "resolved";
  metric: AlertMetric;
  threshold: number;
  window_minutes: number;
  filter: AlertFilter;
  value: number | null;
  issues: readonly ToldIssue[] | null;
  experiment_id: string | null;
  at: Generated<Date>;
};

type AlertNotificationRow = {
  id: string;
  event_id: string;
  channel_id: string;
  state: Generated<"pending" | "sent" | "dead">;
  tries: Generated<number>;
  problem: string | null;
  created_at: Generated<Date>;
  next_try_at: Generated<Date>;
  sent_at: Date | null;
};
