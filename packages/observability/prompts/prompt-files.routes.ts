import { Readable } from "node:stream";
import { errorMessage, refusal } from "@sightline/foundation/errors";
import type { HttpServer } from "@sightline/foundation/http/http-server";
import { streamedAnswer } from "@sightline/foundation/http/streamed-answer";
import { z } from "zod";
import { importedPromptsSchema, MAX_PROMPTS, writePromptRequestSchema } from "#contract.ts";
import { enterProject, projectParams, type RouteDependencies } from "#query/access/project-route.ts";
import { toAuthor } from "#query/access/request-reader.ts";
import type { Query } from "#schema.ts";
import type { InProject } from "#store/reader.ts";
import { listPrompts } from "./prompts.store.ts";
import { listWholeVersions } from "./versions.store.ts";
import { requireLabels, writeVersion } from "./write-prompt.ts";

const MAX_FILE_BYTES = 64 * 1024 * 1024;
/** Versions that are read at once, each of a mebibyte at the most. */
const AT_ONCE = 10;
const lineSchema = writePromptRequestSchema.extend({ version: z.int().min(1).optional() }).strict();

/** All prompts of a project as lines of JSON, a version a line in the order in which they were made, and from such lines. */
export function promptFileRoutes({ query, clock, log }: RouteDependencies) {
  return async (server: HttpServer): Promise<void> => {
    const path = "/api/v1/projects/:project_id/prompts";

    server.get(
      `${path}/export`,
      {
        config: { auth: "user-or-prompts" },
        schema: {
          summary: "All prompts with all versions as a file that can be imported, one version a line",
          params: projectParams,
          response: { 200: streamedAnswer("application/jsonl", "One version a line.") },
        },
      },
      async (request, reply) => {
        const project = await enterProject(query, request, "viewer");
        return reply
          .type("application/jsonl; charset=utf-8")
          .header("content-disposition", `attachment; filename="sightline-prompts-${project.projectId}.jsonl"`)
          .header("cache-control", "no-store")
          .send(Readable.from(exportLines(query, project)));
      },
    );

    await server.register(async (scope: HttpServer) => {
      scope.addContentTypeParser(["application/x-ndjson", "application/jsonl"], { parseAs: "string" }, (_request, body, done) =>
        done(null, body),
      );
      scope.post(
        `${path}/import`,
        {
          config: { auth: "user-or-evaluate" },
          bodyLimit: MAX_FILE_BYTES,
          schema: {
            summary:
              "Make a version of each line of JSON (application/x-ndjson) that is another than the newest; none when a line can't be read",
            params: projectParams,
            response: { 200: importedPromptsSchema },
          },
        },
        async (request) => {
          const project = await enterProject(query, request, "editor");
          const author = toAuthor(project.reader);
          if (typeof request.body !== "string") {
            throw refusal(415, "unsupported_media_type", "Send lines of JSON with Content-Type: application/x-ndjson.");
          }
          const lines = request.body.split("\n").flatMap((text, at) => (text.trim() === "" ? [] : [readLine(text, at + 1)]));
          await requireLabels(
            query,
            project,
            lines.flatMap(({ labels }) => labels),
          );
          const told = { added: 0, unchanged: 0 };
          await query.transaction().execute(async (transaction) => {
            // In one order for all, as each holds its prompts to the end.
            for (const line of lines.toSorted((one, other) => Number(one.name > other.name) - Number(one.name < other.name))) {
              const { isNew } = await writeVersion(transaction, { ...project, author, now: clock.now() }, line);
              told[isNew ? "added" : "unchanged"] += 1;
            }
          });
          log.info({ project: project.projectId, ...told, by: author }, "prompts were imported");
          return told;
        },
      );
    });
  };
}

async function* exportLines(query: Query, project: InProject): AsyncGenerator<string> {
  const prompts = await listPrompts(query, { ...project, name: undefined, prefix: undefined, after: undefined, limit: MAX_PROMPTS });
  for (const { id, name, labels } of prompts) {
    let after = 0;
    for (let rows; (rows = await listWholeVersions(query, { ...project, promptId: id, after, limit: AT_ONCE })).length > 0;) {
      for (const { version, template, config, reason } of rows) {
        const own = Object.entries(labels).flatMap(([label, meant]) => (meant === version ? [label] : []));
        yield `${JSON.stringify({ name, version, template, config, reason, labels: own })}\n`;
        after = version;
      }
    }
  }
}

function readLine(text: string, line: number) {
  try {
    return lineSchema.parse(JSON.parse(text));
  } catch (error) {
    const [issue] = error instanceof z.ZodError ? error.issues : [];
    const problem = issue === undefined ? errorMessage(error) : [...issue.path, issue.message].join(": ");
    throw refusal(400, "invalid_line", `Line ${line} is no prompt: ${problem}. Nothing was written: mend it, and send the file again.`);
  }
}
