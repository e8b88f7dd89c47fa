import type { Metrics } from "@sightline/foundation/http/metrics";
import type { Alert } from "#contract.ts";
import { alertRules, type AlertRule } from "./alert-rules.ts";

/** Numbers that are not this process' own metrics, by the name of the rule. */
export type OtherNumbers = Readonly<Record<string, () => Promise<number | undefined>>>;

/** A number that is not known makes the alert `unknown`, never `ok`. */
export async function evaluateAlerts({ registry }: Metrics, others: OtherNumbers): Promise<readonly Alert[]> {
  return Promise.all(
    alertRules.map(async (rule) => {
      const read = others[rule.name] ?? (() => readMetric(rule.metric));
      const value = await read().catch(() => undefined);
      return toAlert(rule, value !== undefined && Number.isFinite(value) ? value : undefined);
    }),
  );

  async function readMetric(name: string | undefined): Promise<number | undefined> {
    const metric = name === undefined ? undefined : await registry.getSingleMetric(name)?.get();
    return metric?.values[0]?.value;
  }
}

function toAlert({ name, severity, above, unit, summary }: AlertRule, value: number | undefined): Alert {
  const state = value === undefined ? "unknown" : value > above ? "firing" : "ok";
  return { name, severity, state, value: value ?? null, above, unit, summary };
}
