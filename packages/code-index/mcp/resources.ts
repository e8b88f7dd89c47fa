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
  server.registerResource(
    "lines",
    new ResourceTemplate(LINES, { list: undefined, complete }),
    { title: "Lines of a file", description: `The lines start to end of a file ${described}` },
    read,
  );
  server.registerResource(
    "file",
    new ResourceTemplate(FILE, { list: undefined, complete }),
    { title: "A file", description: `A file ${described}` },
    read,
  );
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

type Known = { readonly arguments?: Readonly<Record<string, string>> } | undefined;

/** What each variable may be, given those before it. */
function completers({ database, access }: ToolContext) {
  const named = async (known: Known) => {
    const { owner, name } = known?.arguments ?? {};
    const rows = await listRepositories(database, { ...access, limit: REPOSITORIES });
    return rows.filter(({ full_name: repo }) => {
      const [itsOwner, itsName] = repo.toLowerCase().split("/");
      return (owner === undefined || itsOwner === owner.toLowerCase()) && (name === undefined || itsName === name.toLowerCase());
    });
  };
  const startingWith = (values: readonly string[], value: string) =>
    [...new Set(values)].filter((candidate) => candidate.toLowerCase().startsWith(value.toLowerCase())).slice(0, VALUES);
  return {
    owner: async (value: string, known?: Known) => {
      const rows = await named(without(known, "owner"));
      return startingWith(
        rows.flatMap(({ full_name: repo }) => repo.split("/")[0] ?? []),
        value,
      );
    },
    name: async (value: string, known?: Known) => {
      const rows = await named(without(known, "name"));
      return startingWith(
        rows.flatMap(({ full_name: repo }) => repo.split("/")[1] ?? []),
        value,
      );
    },
    ref: async (value: string, known?: Known) => {
      const rows = await named(known);
      const refs = rows.flatMap((row) => row.refs.filter((ref) => ref.indexed_commit !== null).map((ref) => ref.name));
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

/** The variable being completed does not narrow its own values. */
function without(known: Known, variable: string): Known {
  return { arguments: Object.fromEntries(Object.entries(known?.arguments ?? {}).filter(([name]) => name !== variable)) };
}
