import { randomOf, SEED } from "@sightline/foundation/testing/random";
import { expect, test } from "vitest";
import { describeDivergence, type Trace } from "#contract.ts";
import { compareNodes, type RunFacts } from "./compare-nodes.ts";
import { nodeFactsOf } from "./node-facts.ts";

type Step = Trace["observation_list"][number];
type Taken = { readonly from: string; readonly to: string };

/** A part of an agent: a node of a graph, or a function of one without; each is a function of its own file. */
type Part = { readonly name: string; readonly tool?: string; readonly calls?: true; readonly next?: string };
type Agent = { readonly name: string; readonly isGraph: boolean; readonly parts: readonly Part[] };

const AGENTS: readonly Agent[] = [
  {
    name: "refunds",
    isGraph: true,
    parts: [
      { name: "read", calls: true },
      { name: "verify", tool: "policy" },
      { name: "ask", calls: true },
      { name: "answer", calls: true },
    ],
  },
  {
    name: "research",
    isGraph: true,
    parts: [
      { name: "plan", calls: true },
      { name: "search", tool: "web" },
      { name: "judge", tool: "rank" },
      { name: "write", calls: true },
    ],
  },
  {
    name: "support",
    isGraph: false,
    parts: [{ name: "classify", calls: true }, { name: "lookup", tool: "orders" }, { name: "decide" }, { name: "reply", calls: true }],
  },
];

const KINDS = ["another way", "other arguments", "another value", "it fails", "no call", "another prompt"] as const;
type Fault = { readonly kind: (typeof KINDS)[number]; readonly part: number };

const ITEMS = 40;
const REPETITIONS = 2;
const BROKEN = 0.35;
/** How often a part runs once more, by chance. */
const TWICE = 0.1;
const FAULTS = 40;
/** The same each time: by chance an unchanged pair is blamed now and then, which is allowed of two. `TEST_SEED` draws others. */
const seed = process.env["TEST_SEED"] === undefined ? 42 : SEED;
const random = randomOf(seed);

/** Whatever a part does wrong, all that comes after it sees another state. What models say, and now and then a tool's second try, is chance. */
function run(agent: Agent, item: number, fault: Fault | undefined): Pick<Trace, "observation_list" | "graph"> {
  const list: Step[] = [];
  const taken: Taken[] = [];
  let id = 0;
  let state = `item ${item}`;
  const add = (parent: string | null, kind: Step["kind"], name: string, part: string, of: Partial<Step>): string => {
    id += 1;
    list.push({
      id: String(id),
      parent_id: parent,
      kind,
      name,
      status: "success",
      started_at: new Date(id).toISOString(),
      ended_at: null,
      duration_ms: 10 + random(),
      seq: id,
      model: null,
      input_tokens: null,
      output_tokens: null,
      cache_read_tokens: null,
      cache_write_tokens: null,
      reasoning_tokens: null,
      time_to_first_token_ms: null,
      cost: null,
      error: null,
      reasoning: null,
      attributes: {},
      code: { file: `${agent.name}/${part}.ts`, line: 8, function: part },
      input: state,
      output: null,
      ...of,
    } as Step);
    return String(id);
  };
  const root = add(null, agent.isGraph ? "graph" : "span", agent.name, agent.name, {});
  const ran = agent.parts.flatMap((part) => (random() < TWICE ? [part, part] : [part]));
  for (const [at, part] of ran.entries()) {
    const wrong = fault !== undefined && agent.parts[fault.part] === part ? fault.kind : undefined;
    const node = add(root, agent.isGraph ? "node" : "span", part.name, part.name, {});
    if (part.calls === true && wrong !== "no call") {
      add(node, "llm", "model", part.name, { input: wrong === "another prompt" ? `rude ${state}` : state, output: { text: random() } });
    }
    if (part.tool !== undefined && wrong !== "no call") {
      const given = wrong === "other arguments" ? `all of ${state}` : state;
      for (let attempt = random() < 0.1 ? 2 : 1; attempt > 0; attempt -= 1) {
        add(node, "tool", part.tool, part.tool, { input: given, output: { found: given } });
      }
    }
    state = wrong === undefined ? `${state} ${part.name}` : `${state} other`;
    const hasFailed = wrong === "it fails";
    Object.assign(list.find((step) => step.id === node) ?? {}, {
      status: hasFailed ? "failure" : "success",
      output: hasFailed ? null : { state, said: random() },
    });
    const next = wrong === "another way" ? "escalate" : ran[at + 1]?.name;
    taken.push({ from: part.name, to: next ?? "__end__" });
    if (wrong === "another way") {
      add(root, agent.isGraph ? "node" : "span", "escalate", agent.isGraph ? "escalate" : part.name, {});
      break;
    }
    if (hasFailed) {
      break;
    }
  }
  const edges = taken.map((edge) => ({ ...edge, via: "conditional" as const, count: 1 }));
  return { observation_list: list, graph: agent.isGraph ? { declared: null, taken: edges } : null };
}

function experiment(agent: Agent, fault?: Fault): readonly RunFacts[] {
  const broken = Math.floor(ITEMS * BROKEN);
  return Array.from({ length: ITEMS * REPETITIONS }, (_, at) => {
    const item = at % ITEMS;
    const own = item < broken ? fault : undefined;
    const nodes = nodeFactsOf(run(agent, item, own), "project");
    return { item: String(item), cluster: null, has_failed: own !== undefined || random() < 0.1, nodes };
  });
}

const isPossible = (agent: Agent, { kind, part: at }: Fault) => {
  const part = agent.parts[at];
  const needs = {
    "another way": at < 3,
    "other arguments": part?.tool !== undefined,
    "another prompt": part?.calls === true,
    "no call": part?.calls ?? part?.tool !== undefined,
  };
  return kind in needs ? Reflect.get(needs, kind) === true : true;
};

test("of 40 faults the first divergence names file and function in 36, and of 40 unchanged pairs in 2 at the most", () => {
  const all = AGENTS.flatMap((agent) => agent.parts.flatMap((_, part) => KINDS.map((kind) => ({ agent, fault: { kind, part } }))));
  const faults = all.filter(({ agent, fault }) => isPossible(agent, fault)).slice(0, FAULTS);
  const missed = faults.flatMap(({ agent, fault }) => {
    const { first_divergence: first } = compareNodes(experiment(agent, fault), experiment(agent));
    const place = first?.candidate_place ?? first?.baseline_place;
    const part = agent.parts[fault.part]?.name;
    return place?.path === `${agent.name}/${part}.ts` && place.function === part
      ? []
      : [`${agent.name} ${part} ${fault.kind}: ${first === null ? "nothing" : describeDivergence(first)}`];
  });
  const falsely = Array.from({ length: FAULTS }, (_, at) => AGENTS[at % AGENTS.length]).flatMap((agent) => {
    const first = agent === undefined ? null : compareNodes(experiment(agent), experiment(agent)).first_divergence;
    return first === null ? [] : [describeDivergence(first)];
  });
  console.log(
    `${faults.length - missed.length} of ${faults.length} faults found, ${falsely.length} of ${FAULTS} unchanged pairs blamed, TEST_SEED=${seed}`,
  );
  expect(missed.length, missed.join("\n")).toBeLessThanOrEqual(4);
  expect(falsely.length, falsely.join("\n")).toBeLessThanOrEqual(2);
  expect(faults).toHaveLength(FAULTS);
});

test("an edge that another took the place of is told with the line, its place and how many failing items begin there", () => {
  const agent = AGENTS[0] ?? { name: "", isGraph: true, parts: [] };
  const { first_divergence: first, nodes } = compareNodes(experiment(agent, { kind: "another way", part: 1 }), experiment(agent));
  expect(first).toMatchObject({ aspect: "edge", now: ["escalate"], before: ["ask"] });
  expect(first === null ? "" : describeDivergence(first)).toBe(
    "begins at refunds/verify.ts:8: edge verify → escalate instead of verify → ask (refunds › verify)",
  );
  expect(nodes.find(({ aspect, what }) => aspect === "edge" && what === "escalate")).toMatchObject({
    items: 40,
    stands_out: true,
  });
});
