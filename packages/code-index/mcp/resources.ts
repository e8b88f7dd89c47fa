import {
  ProtocolError,
  ProtocolErrorCode,
  ResourceNotFoundError,
  ResourceTemplate,
  type McpServer,
  type ReadResourceResult,
  type ServerContext,
} from "@modelcontextprotocol/server";
import { AppError } from "@sightline/foundation/errors";
import { z } from "zod";
import { branchSchema } from "#branch-schema.ts";
import { pathsBeginning } from "#retrieval/files/read-files.store.ts";
import { listRepositories } from "#store/records/read-repositories.store.ts";
import { readAs, untilAborted } from "#store/tenancy/tenant.ts";
import { readFile } from "#retrieval/files/read-file.ts";
import { countTokens } from "#tokens/count-tokens.ts";
import { MAX_TOKENS, type ToolContext } from "#mcp/kit/tool.ts";

const FILE = "sightline://{owner}/{name}/{ref}/{+path}";
const LINES = `${FILE}{?start,end}`;

/** Stands for the default branch in a resource's address. */
const DEFAULT = "HEAD";

/** Files and their lines as resources, for people who pick what their assistant reads, with completion as they type. */
export function addFileResources(server: McpServer, context: ToolContext): void {
  const complete = completers(context);
  const read = async (uri: URL, _variables: unknown, { mcpReq }: ServerContext) =>
    readResource({ ...context, database: untilAborted(context.database, mcpReq.signal) }, uri);
  const described = `of an indexed repository owner/name, at the indexed commit of the branch ref; ${DEFAULT} is the default branch.`;
  const add = (name: string, template: string, title: string, what: string) =>
    server.registerResource(
      name,
      new ResourceTemplate(template, { list: undefined, complete }),
      { title, description: `${what} ${described}` },
      read,
    );
  add("lines", LINES, "Lines of a file", "The lines start to end of a file");
  add("file", FILE, "A file", "A file");
}

const lineSchema = z.coerce.number().int().min(1).optional();

const addressSchema = z.object({
  repo: z.string().max(200),
  ref: branchSchema.optional(),
  path: z.string().min(1).max(4096),
  start: lineSchema,
  end: lineSchema,
});

async function readResource({ database, access, log }: ToolContext, uri: URL): Promise<ReadResourceResult> {
  const address = addressSchema.safeParse(parseResourceUri(uri));
  if (!address.success) {
    throw new ResourceNotFoundError(uri.href, `Give the address of a file as ${LINES}.`);
  }
  const { repo, ref, path, start, end } = address.data;
  try {
    const { content } = await readFile(database, { ...access, repo, ref }, { path, start, end });
    if (countTokens(content) > MAX_TOKENS) {
      const message = `${path} is longer than ${MAX_TOKENS} tokens; ask for some of its lines with ?start=&end=.`;
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, message, { uri: uri.href });
    }
    return { contents: [{ uri: uri.href, mimeType: "text/plain", text: content }] };
  } catch (error) {
    if (error instanceof AppError && error.status < 500) {
      throw new ResourceNotFoundError(uri.href, error.message);
    }
    if (!(error instanceof ProtocolError) && database.signal?.aborted !== true) {
      log.error({ err: error }, "a resource could not be read");
      throw new ProtocolError(ProtocolErrorCode.InternalError, "The code index failed to answer; try again in a moment.");
    }
    throw error;
  }
}

function parseResourceUri({ host, pathname, searchParams }: URL): Record<string, unknown> | undefined {
  const [, name, ref, ...path] = pathname.split("/");
  try {
    const branch = decodeURIComponent(ref ?? "");
    return {
      repo: `${decodeURIComponent(host)}/${decodeURIComponent(name ?? "")}`,
      ref: branch === DEFAULT ? undefined : branch,
      path: decodeURIComponent(path.join("/")),
      start: searchParams.get("start") ?? undefined,
      end: searchParams.get("end") ?? undefined,
    };
  } catch {
    // A percent sign that stands for nothing.
    return undefined;
  }
}

/** As many as the protocol lets a completion have. */
const VALUES = 100;
const REPOSITORIES = 10_000;
const COMPLETE_MS = 2_000;

type Arguments = Readonly<Record<string, string | undefined>>;
type Known = { readonly arguments?: Arguments } | undefined;

/** What each variable may be, given those before it; the one being completed does not narrow its own values. */
function completers({ database, access }: ToolContext) {
  const repositories = async ({ owner, name }: Arguments) => {
    const rows = await listRepositories(database, { ...access, limit: REPOSITORIES });
    return rows
      .map(({ full_name: whole, refs }) => ({ parts: [whole.slice(0, whole.indexOf("/")), whole.slice(whole.indexOf("/") + 1)], refs }))
      .filter(({ parts }) => [owner, name].every((asked, at) => asked === undefined || parts[at]?.toLowerCase() === asked.toLowerCase()));
  };
  const startingWith = (values: readonly string[], value: string) =>
    [...new Set(values)].filter((candidate) => candidate.toLowerCase().startsWith(value.toLowerCase())).slice(0, VALUES);
  const part = (at: number, itself: string) => async (value: string, known?: Known) => {
    const found = await repositories({ ...known?.arguments, [itself]: undefined });
    return startingWith(
      found.flatMap(({ parts }) => parts[at] ?? []),
      value,
    );
  };
  return {
    owner: part(0, "owner"),
    name: part(1, "name"),
    ref: async (value: string, known?: Known) => {
      const found = await repositories(known?.arguments ?? {});
      const refs = found.flatMap((row) => row.refs.filter((ref) => ref.indexed_commit !== null).map((ref) => ref.name));
      return startingWith([DEFAULT, ...refs], value);
    },
    path: async (value: string, known?: Known) => {
      const { owner, name, ref = DEFAULT } = known?.arguments ?? {};
      const address = addressSchema.safeParse({ repo: `${owner}/${name}`, ref: ref === DEFAULT ? undefined : ref, path: "-" });
      if (owner === undefined || name === undefined || !address.success || value.includes("\0")) {
        return [];
      }
      const scope = { ...access, repo: address.data.repo, ref: address.data.ref };
      const paths = await readAs(database, access.tenant, COMPLETE_MS, (transaction) =>
        pathsBeginning(transaction, scope, { beginning: value.slice(0, 4096), limit: VALUES }),
      );
      return [...paths];
    },
  };
}
