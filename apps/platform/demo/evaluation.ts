import { setTimeout as delay } from "node:timers/promises";
import {
  createdApiKeySchema,
  datasetPageSchema,
  datasetSchema,
  experimentPageSchema,
  experimentSchema,
  issueDetailSchema,
  issuePageSchema,
  itemPageSchema,
  reportedRunsSchema,
  writtenItemsSchema,
  type Experiment,
  type Item,
} from "@sightline/observability/contract";
import { currentTrace, trace } from "@sightline/sdk";
import { z } from "zod";
import { answerQuestion, type CodeTools } from "./agent.ts";
import { createHttpClient, type HttpClient } from "./http-client.ts";

const DATASET = "code questions";
const MAIN = "main";
const CHANGE = "guess-file-names";
const QUESTIONS = [
  "How are commits indexed?",
  "How are API keys checked?",
  "What masks secrets in recorded values?",
  "How is a search answered?",
  "How do alerts reach a channel?",
  "Where are access tokens signed?",
  "Where are events read from the stream?",
  "Where are the migrations applied?",
  "Where is a trace counted?",
  "Where are sessions of the console ended?",
  "Where is a webhook's signature checked?",
  "Where are the backups restored?",
];
/** Of a recorded run and of those above alike. */
const inputSchema = z.object({ messages: z.tuple([z.object({ content: z.string() })]) });
const CHECKS = [{ type: "succeeds" }, { type: "tool", tool: "search_code", before: "read_file" }];
const WAIT_MS = 20_000;
const PAUSE_MS = 200;

type Demo = {
  readonly observability: HttpClient;
  readonly observabilityUrl: string;
  readonly projectId: string;
  readonly tools: CodeTools;
  readonly commit: string;
};

/**
 * What the guide tells: the issue of the failing run, items made of it, the agent evaluated on `main`, and a change of it that is worse. What an
 * earlier demo left is gone on with. @returns the path of the change's page, undefined when there was nothing to do.
 */
export async function evaluateDemo({ observability, observabilityUrl, projectId, tools, commit }: Demo): Promise<string | undefined> {
  const project = `/api/v1/projects/${projectId}`;
  const { items: known } = await observability.get(`${project}/datasets?name=${encodeURIComponent(DATASET)}`, datasetPageSchema);
  const begun = known[0] === undefined ? [] : await listExperiments(observability, project, known[0].id);
  const done = new Set(begun.flatMap(({ state, branch }) => (state === "finished" ? [branch] : [])));
  if (done.has(MAIN) && done.has(CHANGE)) {
    return undefined;
  }
  // With a key of its own, as CI has one.
  const { key, ...made } = await observability.post(`${project}/keys`, { name: "demo", scopes: ["evaluate"] }, createdApiKeySchema);
  const client = createHttpClient(observabilityUrl, key);
  try {
    const dataset = known[0] ?? (await client.post(`${project}/datasets`, { name: DATASET }, datasetSchema));
    if (dataset.items === 0) {
      await fill(client, `${project}/datasets/${dataset.id}/items`, await findIssue(observability, project));
    }
    const { items } = await client.get(`${project}/datasets/${dataset.id}/items?limit=100`, itemPageSchema);
    let page: string | undefined;
    for (const branch of [MAIN, CHANGE].filter((each) => !done.has(each))) {
      const of = {
        dataset_id: dataset.id,
        name: branch === MAIN ? "as it is" : "guess file names",
        branch,
        commit,
        evaluators: [{ name: "names a file" }],
      };
      const experiment = await client.post(`${project}/experiments`, of, experimentSchema);
      const runs = await Promise.all(items.map((item) => runItem(tools, item, branch === CHANGE)));
      await client.post(`${project}/experiments/${experiment.id}/runs`, { runs }, reportedRunsSchema);
      await finish(client, `${project}/experiments/${experiment.id}/finish`);
      page = `/projects/${projectId}/experiments/${experiment.id}?baseline=${MAIN}`;
    }
    return page;
  } finally {
    await observability.delete(`${project}/keys/${made.id}`);
  }
}

async function listExperiments(client: HttpClient, project: string, datasetId: string): Promise<readonly Experiment[]> {
  return (await client.get(`${project}/experiments?dataset_id=${datasetId}&limit=100`, experimentPageSchema)).items;
}

/** The failing run's, which is there within seconds. */
async function findIssue(client: HttpClient, project: string) {
  const found = await poll(async () => (await client.get(`${project}/issues?limit=1`, issuePageSchema)).items[0]);
  if (found === undefined) {
    throw new Error("The failing run became no issue in time.");
  }
  return client.get(`${project}/issues/${found.id}`, issueDetailSchema);
}

/** The issue's trace, which is required from now on, and questions that were well answered. */
async function fill(client: HttpClient, path: string, { id, evidence }: Awaited<ReturnType<typeof findIssue>>): Promise<void> {
  const traces = [evidence.shortest ?? evidence.newest].flatMap((each) => (each === null ? [] : [{ trace_id: each.trace_id }]));
  await client.post(`${path}/from-traces`, { traces, checks: CHECKS, issue_id: id }, writtenItemsSchema);
  const items = QUESTIONS.map((question) => ({ input: { messages: [{ role: "user", content: question }] }, checks: CHECKS }));
  await client.post(path, { items, reason: "questions that were well answered" }, writtenItemsSchema);
}

/** A run as it is reported, with the trace of what it did. */
async function runItem(tools: CodeTools, { id, input }: Item, isChanged: boolean) {
  const startedAt = new Date();
  const [{ content: question }] = inputSchema.parse(input).messages;
  let traceId: string | undefined;
  const ended = (fields: object) => ({
    item_id: id,
    repetition: 0,
    trace_id: traceId ?? null,
    started_at: startedAt.toISOString(),
    duration_ms: Date.now() - startedAt.getTime(),
    ...fields,
  });
  try {
    const output = await trace({ name: "demo evaluation", purpose: "experiment", input }, () => {
      traceId = currentTrace()?.traceId;
      return answerQuestion(tools, question, isChanged);
    });
    return ended({ state: "succeeded", output, scores: [{ name: "names a file", value: /\w\.\w/.test(output) }] });
  } catch (error) {
    return ended({ state: "failed", error: error instanceof Error ? error.message : String(error) });
  }
}

/** Its checks need the traces, which come over the stream. */
async function finish(client: HttpClient, path: string): Promise<void> {
  const isFinished = await poll(async () => (await client.post(path, { wait: true }, experimentSchema)).state === "finished" || undefined);
  if (isFinished === undefined) {
    await client.post(path, {}, experimentSchema);
  }
}

async function poll<Answer>(ask: () => Promise<Answer | undefined>): Promise<Answer | undefined> {
  for (const deadline = Date.now() + WAIT_MS; Date.now() < deadline; await delay(PAUSE_MS)) {
    const answer = await ask();
    if (answer !== undefined) {
      return answer;
    }
  }
  return undefined;
}
