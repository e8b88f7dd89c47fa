import { describeCluster } from "@sightline/code-index";
import { createDatabase, describeAddress, type Database } from "@sightline/foundation/database/database";
import { errorMessage } from "@sightline/foundation/errors";
import { createLog, type Logger } from "@sightline/foundation/log";
import { migrationStatus } from "@sightline/foundation/database/migrations";
import type { Environment, Setting } from "#settings/environment.ts";
import { migrationGroups, type MigrationGroup } from "#compose/prepare.ts";

export type Finding = {
  readonly state: "ok" | "warning" | "error";
  readonly what: string;
  readonly found: string;
  /** What to do about it. */
  readonly fix?: string;
};

export function ok(what: string, found: string): Finding {
  return { state: "ok", what, found };
}

export function warning(what: string, found: string, fix: string): Finding {
  return { state: "warning", what, found, fix };
}

export function failure(what: string, found: string, fix: string): Finding {
  return { state: "error", what, found, fix };
}

const MIN_POSTGRES_VERSION = 150_000;

/** Checks each database: reachable, new enough, extensions available, revisions applied. One that both variables mean is reached once. */
export async function diagnoseDatabase({ environment }: Setting, given: Environment): Promise<readonly Finding[]> {
  const log = createLog({ name: "doctor", level: "silent" });
  const urls = new Set(migrationGroups.map(({ urlVariable }) => environment[urlVariable] ?? ""));
  const findings = await Promise.all(
    [...urls].map((url) => {
      const groups = migrationGroups.filter(({ urlVariable }) => (environment[urlVariable] ?? "") === url);
      const variable = groups.find(({ urlVariable }) => given[urlVariable])?.urlVariable ?? "DATABASE_URL";
      return diagnoseOne(url, { variable, groups, log });
    }),
  );
  return findings.flat();
}

type DatabaseCheck = {
  /** The variable to correct. */
  readonly variable: MigrationGroup["urlVariable"];
  readonly groups: readonly MigrationGroup[];
  readonly log: Logger;
};

async function diagnoseOne(url: string, { variable, groups, log }: DatabaseCheck): Promise<readonly Finding[]> {
  // Another address is a finding of the variables.
  if (!/^postgres(ql)?:/.test(url) || !URL.canParse(url)) {
    return [];
  }
  const what = storeName(variable);
  const database = createDatabase<unknown>({ url, poolSize: 1, applicationName: "sightline-doctor", log });
  try {
    const findings = [await version(database, what, url)];
    for (const group of groups) {
      const applied = await revisions(database, group, storeName(group.urlVariable));
      findings.push(
        ...(await extensions(database, group, storeName(group.urlVariable))),
        applied,
        ...(await nodes(database, group, applied)),
      );
    }
    return findings;
  } catch (error) {
    return [failure(what, `${describeAddress(url)}: ${errorMessage(error)}`, `Start the server, or correct ${variable}.`)];
  } finally {
    await database.close();
  }
}

function storeName(variable: MigrationGroup["urlVariable"]): string {
  return variable.replace("_URL", "").toLowerCase().replaceAll("_", " ");
}

async function version({ pool }: Database<unknown>, what: string, url: string): Promise<Finding> {
  const { rows } = await pool.query<{ number: number; name: string }>(
    "select current_setting('server_version_num')::int as number, current_setting('server_version') as name",
  );
  const { number = 0, name = "unknown" } = rows[0] ?? {};
  const found = `PostgreSQL ${name} at ${describeAddress(url)}`;
  return number >= MIN_POSTGRES_VERSION ? ok(what, found) : failure(what, found, "Use PostgreSQL 15 or newer.");
}

async function extensions({ pool }: Database<unknown>, { urlVariable }: MigrationGroup, what: string): Promise<readonly Finding[]> {
  if (urlVariable !== "CODEINDEX_DATABASE_URL") {
    return [];
  }
  const { rows } = await pool.query<{ name: string; version: string | null }>(
    "select name, installed_version as version from pg_available_extensions where name in ('vector', 'pg_trgm')",
  );
  const missing = EXTENSIONS.filter((name) => !rows.some((row) => row.name === name));
  if (missing.length > 0) {
    return [
      failure(
        what,
        `without the extension${missing.length === 1 ? "" : "s"} ${missing.join(", ")}`,
        "Install pgvector (apt-get install postgresql-<version>-pgvector, or the image pgvector/pgvector:pg17) and postgresql-contrib.",
      ),
    ];
  }
  const toMake = EXTENSIONS.filter((name) => rows.some((row) => row.name === name && row.version === null));
  const refused = await refusalToMake(pool, toMake);
  const statements = toMake.map((name) => `create extension ${name};`).join(" ");
  return refused === undefined
    ? [ok(what, "the extensions vector and pg_trgm can be had")]
    : [failure(what, refused, `Let a superuser run once in this database: ${statements}`)];
}

const EXTENSIONS = ["vector", "pg_trgm"] as const;

/** Why this user may not make them. Who may is for the server to say, since providers of databases have rules of their own; nothing is kept. */
async function refusalToMake(pool: Database<unknown>["pool"], names: readonly string[]): Promise<string | undefined> {
  const client = await pool.connect();
  try {
    await client.query("begin");
    for (const name of names) {
      await client.query(`create extension ${name}`);
    }
    return undefined;
  } catch (error) {
    return errorMessage(error);
  } finally {
    await client.query("rollback").catch(() => undefined);
    client.release();
  }
}

async function revisions({ pool }: Database<unknown>, { sets }: MigrationGroup, what: string): Promise<Finding> {
  const statuses = await Promise.all(sets.map((set) => migrationStatus(pool, set)));
  const pending = statuses.flat().filter(({ appliedAt }) => appliedAt === undefined);
  return pending.length === 0
    ? ok(what, "every revision is applied")
    : warning(what, `${pending.length} revisions are pending`, "The next start applies them, or `sightline migrate up`.");
}

/** Of a database that Citus spreads: where tenants are, and what is in the way of reading or moving them. */
async function nodes(database: Database<unknown>, { urlVariable }: MigrationGroup, applied: Finding): Promise<readonly Finding[]> {
  const cluster = urlVariable === "CODEINDEX_DATABASE_URL" && applied.state === "ok" ? await describeCluster(database) : undefined;
  if (cluster === undefined) {
    return [];
  }
  const takers = cluster.nodes.filter((node) => node.takesTenants).length;
  const elsewhere = cluster.tenants.filter(({ node }) => node === null).map(({ name }) => name);
  const found = `${takers} nodes take tenants by Citus; ${cluster.tenants.length - elsewhere.length} of ${cluster.tenants.length} tenants are on them`;
  const fix = `sightline cluster place ${elsewhere[0] ?? ""}`;
  return [
    elsewhere.length === 0 || takers === 0 ? ok("code index nodes", found) : warning("code index nodes", found, fix),
    ...cluster.problems.map((problem) =>
      failure("code index nodes", problem, 'See "More than one PostgreSQL node" in docs/operations.md.'),
    ),
  ];
}
