import type { ApiRig } from "./api-rig.ts";

/** A connection, an evaluator and a rule that has chosen what there is, by the names of their parameters in routes. */
export async function furnishJudge(api: ApiRig, base: string, token: string): Promise<Readonly<Record<string, string>>> {
  const connection = { name: "kept", provider: "openai-compatible", base_url: "http://127.0.0.1:9/v1", key: "kept" };
  const connected = await api.post(`${base}/model-connections`, connection, token);
  const definition = {
    connection_id: connected.body["id"],
    model: "kept",
    rubric: "{{output}}",
    variables: [{ name: "output", of: "trace", path: "/output" }],
    output: { type: "boolean" },
  };
  const evaluator = await api.post(`${base}/evaluators`, { name: "kept", definition }, token);
  const rules = `${base}/evaluators/${String(evaluator.body["id"])}/rules`;
  const rule = await api.post(rules, { kind: "past", size: 10, budget: null }, token);
  return {
    connection_id: String(connected.body["id"]),
    evaluator_id: String(evaluator.body["id"]),
    judge_rule_id: String(rule.body["id"]),
  };
}
