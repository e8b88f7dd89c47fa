import { once } from "node:events";
import { createServer } from "node:http";

/** How much there is, and of which version; every seventh answer is 429 where it is busy. */
export type FakeProject = {
  readonly version: 3 | 4;
  readonly datasets: number;
  readonly itemsOfEach: number;
  readonly runsOfEach: number;
  readonly scoresOfEach: number;
  readonly isBusy?: boolean;
};
export type FakeLangfuse = {
  readonly url: string;
  readonly stop: () => Promise<void>;
  asked: number;
  late: object[];
  odd: readonly object[];
};

const TIME = "2026-03-01T10:00:00.000Z";
const KEYS = `Basic ${Buffer.from("pk-lf-1:sk-lf-1").toString("base64")}`;

/** A Langfuse project whose answers have every field of the published schemas (`/generated/api/openapi.yml`), and no others. */
export async function startFakeLangfuse(project: FakeProject): Promise<FakeLangfuse> {
  const { version, datasets, itemsOfEach, runsOfEach, scoresOfEach } = project;
  const traceOf = (d: number, r: number, i: number) => `trace-${d}-${r}-${i}`;
  const numbers = (count: number) => Array.from({ length: count }, (_, at) => at);
  const allItems = numbers(datasets).flatMap((d) => numbers(itemsOfEach).map((i) => itemOf(d, i)));
  const run = (d: number, r: number) => ({ id: `run-${d}-${r}`, name: `nightly ${r}`, description: null, metadata: { model: "m" } });
  const runItems = (d: number, r: number) => numbers(itemsOfEach).map((i) => ({ i, item: `item-${d}-${i}`, trace: traceOf(d, r, i) }));
  const runsPerDataset = itemsOfEach * runsOfEach;
  const server: FakeLangfuse = { url: "", stop, asked: 0, late: [], odd: [] };
  const scoreCount = () => datasets * runsPerDataset * scoresOfEach + server.late.length;

  function itemOf(d: number, i: number) {
    const of = { datasetId: `dataset-${d}`, datasetName: `folder/set ${d}`, createdAt: TIME, updatedAt: TIME, mediaReferences: [] };
    const from = { sourceTraceId: null, sourceObservationId: null };
    return {
      id: `item-${d}-${i}`,
      status: "ACTIVE",
      input: { q: `question ${i}` },
      expectedOutput: `answer ${i}`,
      metadata: null,
      ...from,
      ...of,
    };
  }

  /** Both versions' scores; the last of a trace is a category. */
  function scoreOf(at: number): object {
    const late = server.late[at - datasets * runsPerDataset * scoresOfEach];
    if (late !== undefined) {
      return late;
    }
    const [s, rest] = [at % scoresOfEach, Math.floor(at / scoresOfEach)];
    const [i, r, d] = [rest % itemsOfEach, Math.floor(rest / itemsOfEach) % runsOfEach, Math.floor(rest / runsPerDataset)];
    const traceId = traceOf(d, r, i);
    const base = {
      id: `score-${at}`,
      name: `metric ${s}`,
      source: "EVAL",
      timestamp: TIME,
      createdAt: TIME,
      updatedAt: TIME,
      environment: "default",
    };
    const details = { comment: s === 0 ? "because" : null, configId: null, metadata: {} };
    const isLast = s === scoresOfEach - 1 && scoresOfEach > 1;
    const dataType = isLast ? "CATEGORICAL" : s === 0 ? "BOOLEAN" : "NUMERIC";
    const value = isLast ? 0 : s === 0 ? i % 2 : (i % 10) / 10;
    if (version === 3) {
      const text = isLast ? { stringValue: "fine" } : s === 0 ? { stringValue: i % 2 === 1 ? "True" : "False" } : {};
      return {
        ...base,
        ...details,
        traceId,
        sessionId: null,
        observationId: null,
        datasetRunId: null,
        authorUserId: null,
        queueId: null,
        dataType,
        value,
        ...text,
      };
    }
    const polymorphic = isLast ? "fine" : s === 0 ? value === 1 : value;
    return { ...base, ...details, projectId: "p", dataType, value: polymorphic, subject: { kind: "trace", id: traceId } };
  }

  function answer(url: URL): object | undefined {
    const query = url.searchParams;
    const limit = Number(query.get("limit") ?? "50");
    const slice = <T>(count: number, from: number, row: (at: number) => T) =>
      numbers(Math.max(0, Math.min(limit, count - from))).map((at) => row(from + at));
    const pages = (count: number, row: (at: number) => object) => {
      const page = Number(query.get("page") ?? "1");
      return {
        data: slice(count, (page - 1) * limit, row),
        meta: { page, limit, totalItems: count, totalPages: Math.ceil(count / limit) },
      };
    };
    const cursors = (count: number, row: (at: number) => object) => {
      const from = Number(query.get("cursor") ?? "0");
      return { data: slice(count, from, row), meta: from + limit < count ? { limit, cursor: String(from + limit) } : { limit } };
    };
    const path = url.pathname.replace("/api/public", "");
    const [, ofRuns] = /^\/datasets\/folder%2Fset%20(\d+)\/runs$/.exec(path) ?? [];
    const d = Number(/(\d+)$/.exec(query.get("datasetName") ?? query.get("datasetId") ?? "")?.[1]);
    if (path === "/v2/datasets") {
      return pages(datasets, (at) => ({
        id: `dataset-${at}`,
        name: `folder/set ${at}`,
        description: null,
        metadata: {},
        inputSchema: null,
        expectedOutputSchema: null,

        projectId: "p",
        createdAt: TIME,
        updatedAt: TIME,
      }));
    }
    if (path === "/dataset-items") {
      return pages(itemsOfEach, (at) => ({ ...allItems[d * itemsOfEach + at], ...server.odd[at] }));
    }
    if (path === "/v2/prompts") {
      return pages(1, () => ({
        name: "system",
        type: "text",
        versions: [1, 2],
        labels: [],
        tags: [],
        lastUpdatedAt: TIME,
        lastConfig: {},
      }));
    }
    if (path === "/v2/prompts/system") {
      return {
        type: "text",
        name: "system",
        version: Number(query.get("version")),
        config: {},
        labels: query.get("version") === "2" ? ["production", "latest"] : [],
        tags: [],
        prompt: `Be kind, by version ${query.get("version")}.`,
      };
    }
    if (version === 3 && path === "/v2/scores") {
      return pages(scoreCount(), scoreOf);
    }
    if (version === 3 && ofRuns !== undefined) {
      return pages(runsOfEach, (r) => ({
        ...run(Number(ofRuns), r),
        datasetId: `dataset-${ofRuns}`,
        datasetName: `folder/set ${ofRuns}`,
        createdAt: TIME,
        updatedAt: TIME,
      }));
    }
    if (version === 3 && path === "/dataset-run-items") {
      const name = query.get("runName") ?? "";
      const rows = runItems(d, Number(name.split(" ")[1]));
      return pages(rows.length, (at) => ({
        id: `ri-${at}`,
        datasetRunId: "run",
        datasetRunName: name,
        datasetItemId: rows[at]?.item,
        traceId: rows[at]?.trace,
        observationId: null,
        createdAt: TIME,
        updatedAt: TIME,
      }));
    }
    if (version === 3 && path.startsWith("/traces/")) {
      return {
        id: path.slice(8),
        timestamp: TIME,
        name: null,
        input: null,
        output: { said: path.slice(8) },
        tags: [],
        observations: [],
        scores: [],
      };
    }
    if (version === 4 && path === "/v3/scores") {
      return query.get("fields") === "details,subject" && limit <= 100 ? cursors(scoreCount(), scoreOf) : undefined;
    }
    if (version === 4 && path === "/experiments" && query.has("fromStartTime")) {
      return cursors(datasets * runsOfEach, (at) => ({
        ...run(Math.floor(at / runsOfEach), at % runsOfEach),
        startTime: TIME,
        endTime: TIME,
        itemCount: itemsOfEach,
        datasetId: `dataset-${Math.floor(at / runsOfEach)}`,
      }));
    }
    if (version === 4 && path === "/experiment-items" && query.has("fromStartTime")) {
      const [, set = 0, r = 0] = (query.get("experimentId") ?? "").split("-").map(Number);
      const rows = runItems(set, r);
      return cursors(rows.length, (at) => ({
        id: `span-${at}`,
        traceId: rows[at]?.trace,
        startTime: TIME,
        endTime: TIME,
        level: at === 0 ? "ERROR" : "DEFAULT",
        environment: "default",
        experimentId: `run-${set}-${r}`,
        experimentName: `nightly ${r}`,
        experimentItemId: rows[at]?.item,
        input: null,
        output: { said: at },
        expectedOutput: null,
      }));
    }
    return undefined;
  }

  const http = createServer((request, response) => {
    server.asked += 1;
    const send = (status: number, body: object, headers = {}) =>
      response.writeHead(status, { "content-type": "application/json", ...headers }).end(JSON.stringify(body));
    if (request.headers.authorization !== KEYS) {
      return send(401, { message: "Invalid credentials" });
    }
    if (project.isBusy === true && server.asked % 7 === 0) {
      return send(429, { message: "Rate limit exceeded" }, { "retry-after": "0" });
    }
    const body = answer(new URL(request.url ?? "/", "http://langfuse"));
    return body === undefined ? send(404, { message: "Not found" }) : send(200, body);
  });
  http.listen(0, "127.0.0.1");
  await once(http, "listening");
  const address = http.address();

  async function stop(): Promise<void> {
    http.close();
    http.closeAllConnections();
    await once(http, "close");
  }
  return Object.assign(server, { url: `http://127.0.0.1:${typeof address === "object" ? address?.port : ""}` });
}
