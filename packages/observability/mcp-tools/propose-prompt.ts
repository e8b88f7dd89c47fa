import { z } from "zod";
import { promptNameSchema, promptTemplateSchema } from "#contract.ts";
import { listPrompts } from "#prompts/prompts.store.ts";
import { findVersion } from "#prompts/versions.store.ts";
import { writePrompt } from "#prompts/write-prompt.ts";
import { requireRole } from "#query/access/project-route.ts";
import { toAuthor } from "#query/access/request-reader.ts";
import { findProject, nameField, projectField } from "./find-project.ts";
import type { ToolDefinition } from "./trace-tool.ts";

const inputSchema = z.strictObject({
  project: projectField,
  name: promptNameSchema,
  template: z.any().pipe(promptTemplateSchema).describe(`A text, or [{"role","content"}]; {{name}} is a variable.`),
  reason: nameField.optional().describe("Why, for the prompt's history."),
});

export const proposePromptTool: ToolDefinition<typeof inputSchema> = {
  name: "propose_prompt",
  title: "Propose a prompt",
  description: `Adds the next version of a prompt. Production keeps its own until a person moves the label. Do it when the user asked for it.`,
  inputSchema,
  isAdding: true,
  answer: async ({ project, name, template, reason = "" }, reading) => {
    const { query, reader, now, log } = reading;
    const of = { projectId: (await findProject(reading, project)).id, reader };
    await requireRole(query, { id: of.projectId, reader, role: "editor" });
    const [prompt] = await listPrompts(query, { ...of, name, prefix: undefined, after: undefined, limit: 1 });
    const newest = prompt && (await findVersion(query, { ...of, promptId: prompt.id, version: prompt.version }));
    const author = toAuthor(reader);
    const given = { name, template, config: newest?.config ?? {}, labels: [], reason: `over MCP: ${reason}` };
    const { version, isNew } = await writePrompt(query, { ...of, author, now }, given);
    log.info({ project: of.projectId, prompt: name, version, isNew, by: author }, "a prompt was proposed over MCP");
    return isNew ? `Version ${version} of ${name} is proposed; it has no label.` : `Nothing was added: version ${version} says the same.`;
  },
};
