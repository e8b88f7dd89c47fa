import { orRefuse } from "@sightline/foundation/errors";
import { z } from "zod";
import { checksSchema, itemsFromTracesRequestSchema, writeItemSchema, type WriteItem } from "#contract.ts";
import { ITEM_VALUES } from "#datasets/item-values.ts";
import { itemsFromTraces } from "#datasets/items-from-traces.ts";
import { writeItems } from "#datasets/write-items.ts";
import { requireRole } from "#query/access/project-route.ts";
import { toAuthor } from "#query/access/request-reader.ts";
import { findStepIds } from "#query/steps/steps.store.ts";
import { findTrace } from "#query/steps/traces.store.ts";
import type { InProject } from "#store/reader.ts";
import { findDatasetNamed, findProject, nameField, projectField } from "./find-project.ts";
import { plural } from "./recorded-text.ts";
import { findStep, parseStepEnding } from "./step-ids.ts";
import { itemUnclear, traceUnknown } from "./tools.errors.ts";
import type { Reading, ToolDefinition } from "./trace-tool.ts";

const CHECKS = `What must hold, such as {"type":"succeeds"}, {"type":"tool","tool":"refund","at_least":0,"at_most":0}, {"type":"edge","from":"verify","to":"ask"}, {"type":"equals"|"contains","path":"/answer","value":…}, {"type":"matches","path":"","pattern":"…"}, {"type":"schema","schema":{…}}, {"type":"limit","of":"steps","at_most":9}.`;

const inputSchema = z.strictObject({
  project: projectField,
  dataset: nameField.describe("A dataset's name or id."),
  trace: z.uuid("a trace's id").optional().describe("Its input becomes the item's; what it put out is expected, unless it failed."),
  step: z.string().max(100).optional().describe("Only this step of the trace, by the last digits of its id."),
  issue: z.uuid("an issue's id").optional().describe("The issue that the trace shows."),
  input: writeItemSchema.shape.input.optional().describe("Instead of a trace: the input itself."),
  expected: itemsFromTracesRequestSchema.shape.expected,
  checks: z.array(z.any()).pipe(checksSchema).optional().describe(CHECKS),
  required: z.boolean().optional().describe("It must always pass; left out, an item of a failed run must."),
  reason: nameField.optional().describe("Why, for the dataset's history."),
});
type Given = z.output<typeof inputSchema>;

export const addDatasetItemTool: ToolDefinition<typeof inputSchema> = {
  name: "add_dataset_item",
  title: "Add to a dataset",
  description: `Adds one item to a dataset, as a new version: of a trace, of a step, or of your own input. It changes the team's dataset: do it when the user asked for it.
An item with the same input and expected value is not added twice.`,
  inputSchema,
  isAdding: true,
  exactValues: ITEM_VALUES,
  answer: async (given, reading) => {
    const { query, reader, now, log } = reading;
    const of = { projectId: (await findProject(reading, given.project)).id, reader };
    await requireRole(query, { id: of.projectId, reader, role: "editor" });
    const { id } = await findDatasetNamed(reading, of, given.dataset);
    const items = await makeItems(reading, of, given);
    const author = toAuthor(reader);
    const reason = `over MCP: ${given.reason ?? (given.trace === undefined ? "an item of its own" : "from a trace")}`;
    const { version, items: written } = await writeItems(query, { ...of, id, items, deleted: [], reason, author, now });
    const [item] = written;
    if (item?.state !== "added") {
      return `Nothing was added: the dataset has an item of the same input and expected value, ${item?.id ?? ""}.`;
    }
    log.info({ project: of.projectId, dataset: id, version, by: author }, "an item was added to a dataset over MCP");
    const cut = items[0]?.source?.incomplete?.length ?? 0;
    const note = cut === 0 ? "" : ` Of what was recorded, ${plural(cut, "value")} had been cut or masked: a run of it may differ.`;
    return `Added item ${item.id}; the dataset's version is ${version} now.${note}`;
  },
};

async function makeItems(reading: Reading, of: InProject, { trace, step, issue, input, ...given }: Given): Promise<readonly WriteItem[]> {
  const { expected, checks, required } = given;
  if ((trace === undefined) === (input === undefined) || (trace === undefined && (step ?? issue) !== undefined)) {
    throw itemUnclear();
  }
  if (trace === undefined) {
    return [writeItemSchema.parse({ input, expected, checks, required })];
  }
  const { run } = orRefuse(await findTrace(reading.query, { ...of, traceId: trace }), traceUnknown);
  const observation = step === undefined ? undefined : findStep(await findStepIds(reading.query, run, parseStepEnding(step)), step).id;
  const traces = [{ trace_id: trace, observation_id: observation }];
  const request = itemsFromTracesRequestSchema.parse({ traces, expected, checks, required, issue_id: issue });
  return itemsFromTraces(reading.query, { ...of, ...request, now: reading.now }, traces);
}
