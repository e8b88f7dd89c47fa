import { writeFile } from "node:fs/promises";
import { PROMETHEUS_RULES_FILE, renderPrometheusRules } from "./prometheus-rules.ts";

await writeFile(PROMETHEUS_RULES_FILE, renderPrometheusRules());
