import { Command } from "commander";
import { addCode } from "./code/command.ts";
import { addConnect } from "./connect-command.ts";
import { addEval } from "./eval/command.ts";
import { addImport } from "./import/command.ts";
import { addPrompts } from "./prompts/command.ts";
import { addUploadScip } from "./upload-scip-command.ts";
import { loadEnvironmentFile } from "#settings/environment.ts";
import { parseRole, roleNames, roleTasks } from "#settings/role-names.ts";
import { version } from "#settings/version.ts";

/**
 * The command line. Commands are loaded when they run, so that `--help` and `role` don't pay for the others.
 */
export function createProgram(): Command {
  const program = new Command("sightline")
    .description("Code search over MCP, observability of agents and admin login, as one self-hosted product.")
    .version(version, "-V, --version")
    .showHelpAfterError()
    .showSuggestionAfterError()
    .hook("preAction", (_program, command) => {
      // These have their whole environment from the supervisor, a role without the secrets of others.
      if (command.name() !== "role" && command.name() !== "prepare-child") {
        loadEnvironmentFile();
      }
    });

  program
    .command("start")
    .description("Start roles and keep them running; all of them when none is named.")
    .argument("[role...]", "which roles to start")
    .option("--prepared", "without preparing the databases: `sightline prepare` did, and each role needs its own variables alone")
    .option("--demo", "index this very folder and run a small agent, so that every page has something to show")
    .addHelpText(
      "after",
      `\nRoles:\n${describeRoles()}\n\nWithout DATABASE_URL and OBSERVABILITY_REDIS_URL the stores are embedded, with their data in ./.sightline.`,
    )
    .action(async (names: string[], options: { demo?: boolean; prepared?: boolean }) => {
      const { start } = await import("./start.ts");
      await start(names, { demo: options.demo === true, prepared: options.prepared === true });
    });

  program
    .command("role", { hidden: true })
    .description("Run one role under the supervisor.")
    .argument("<role>")
    .action(async (name: string) => {
      const { role } = await import("./role.ts");
      await role(name);
    });

  program
    .command("prepare")
    .description("Bring the databases to where roles can start with --prepared, with a first admin. Every other start does this itself.")
    .action(async () => (await import("./prepare.ts")).prepareAlone());

  program
    .command("prepare-child", { hidden: true })
    .description("Prepare the databases for a start.")
    .argument("<roles...>")
    .action(async (roles: readonly string[]) => (await import("./prepare.ts")).prepareForStart(roles.map(parseRole)));

  program
    .command("demo")
    .description("Fill a running Sightline: index this folder and run a small agent.")
    .action(async () => (await import("./demo.ts")).demo());

  const migrate = program.command("migrate").description("Change or show the databases' revisions.");
  migrate
    .command("up")
    .description("apply every revision that is missing")
    .action(async () => (await import("./migrate.ts")).migrateAllUp());
  migrate
    .command("down")
    .description("take the newest revision of one part back")
    .argument("<part>", "identity, observability or code-index")
    .action(async (part: string) => (await import("./migrate.ts")).migratePartDown(part));
  migrate
    .command("status")
    .description("show every revision and when it was applied")
    .action(async () => (await import("./migrate.ts")).showMigrations());

  const cluster = program.command("cluster").description("Spread the databases over the nodes of a Citus cluster.");
  cluster
    .command("status")
    .description("show the nodes, where every tenant's code index is, and how large")
    .action(async () => (await import("./cluster.ts")).showCluster());
  cluster
    .command("place")
    .description("move a tenant's code index to a node, while it is searched")
    .argument("<tenant>", "as tenant list shows it")
    .argument("[node]", "host:port, as cluster status shows it (default: the one with the least on it)")
    .action(async (name: string, node: string | undefined) => (await import("./cluster.ts")).placeTenant(name, node));
  cluster
    .command("distribute")
    .description("divide the tables of traces by project over the workers of a Citus cluster")
    .addHelpText(
      "after",
      "\nStop Sightline before, and start it afterwards. Safe to repeat: what is divided already is left as it is, and after an upgrade\nnew tables are divided. Prints what it did.",
    )
    .action(async () => (await import("./cluster-distribute.ts")).distributeTables());

  program
    .command("doctor")
    .description("Show what is found, missing and reachable, and how to fix it.")
    .action(async () => (await import("./doctor.ts")).doctor());

  addCode(program);
  addConnect(program);
  addUploadScip(program);
  addEval(program);
  addImport(program);
  addPrompts(program);

  const admin = program.command("admin").description("Manage admins from the machine itself.");
  admin
    .command("create")
    .description("make an admin with a one-time password")
    .requiredOption("--email <email>", "address to log in with")
    .requiredOption("--name <name>", "name to show")
    .option("--tenant <tenant>", "name of the tenant", "default")
    .action(async (options: { email: string; name: string; tenant: string }) => {
      const { createAdmin } = await import("./admin.ts");
      await createAdmin(options);
    });
  admin
    .command("list")
    .description("show the admins of every tenant, and whether each has a second factor")
    .action(async () => (await import("./admin.ts")).listAdmins());
  admin
    .command("reset-password")
    .description("replace the password of an account by a one-time password, printed once; its sessions end")
    .requiredOption("--email <email>", "address of the account")
    .addHelpText("after", "\nThe second factor stays: see reset-2fa. Safe while Sightline runs; the audit tells of it.")
    .action(async ({ email }: { email: string }) => (await import("./admin.ts")).resetPassword(email));
  admin
    .command("reset-2fa")
    .description("take the second factor from an account whose owner lost it; its sessions end")
    .requiredOption("--email <email>", "address of the account")
    .requiredOption("--reason <reason>", "why, for the audit and the owner")
    .addHelpText("after", "\nThe password alone logs in from then on, until a new second factor is set up. Safe while Sightline runs.")
    .action(async (options: { email: string; reason: string }) => (await import("./admin.ts")).resetSecondFactor(options));
  admin
    .command("unlock-2fa")
    .description("have the codes of an account looked at again that were tried too often; the second factor stays")
    .requiredOption("--email <email>", "address of the account")
    .addHelpText(
      "after",
      "\nWhoever tried the codes knew the password: have it changed too. Safe while Sightline runs; the audit tells of it.",
    )
    .action(async ({ email }: { email: string }) => (await import("./admin.ts")).unlockSecondFactor(email));

  const keys = program.command("keys").description("Show and rotate the keys that seal secrets and sign access tokens.");
  keys
    .command("status")
    .description(
      "show how much each key of ENCRYPTION_KEYS and CODEINDEX_ENCRYPTION_KEYS has sealed, which may be removed, and the signing keys",
    )
    .addHelpText("after", "\nEnds with 1 when something is sealed with a key that its ring does not hold.")
    .action(async () => (await import("./keys.ts")).showKeys());
  keys
    .command("rotate")
    .description("seal everything anew that the first key of its ring has not sealed")
    .option("--signing", "publish the next signing key instead, which begins to sign 15 minutes later")
    .addHelpText(
      "after",
      "\nSafe while people log in, and to repeat: it goes on where it was broken off. Ends with 1 when something can't be opened.",
    )
    .action(async (options: { signing?: boolean }) => {
      const { rotateKeys } = await import("./keys.ts");
      await rotateKeys({ signing: options.signing === true });
    });
  const audit = program.command("audit").description("Verify the audit, or take it elsewhere.");
  audit
    .command("verify")
    .description("recompute the chain of hashes; ends with 1 when a row was changed, deleted, inserted or moved")
    .option("--expect <head>", "a head that was noted earlier and must still be in the chain")
    .option("--anchors <file>", "ends of the chain that were kept elsewhere (AUDIT_ANCHOR_FILE), one line of JSON each")
    .addHelpText(
      "after",
      "\nPrints how many rows there are, and the head: the hash of the last one. While Sightline runs it signs the head every minute\nwith ENCRYPTION_KEYS, so that whoever has the database alone cannot make the chain anew. The last signed end in SIGHTLINE_HOME, and what was kept\nelsewhere (--anchors, --expect), find a database that was taken back to an earlier day, too.",
    )
    .action(async (options: { expect?: string; anchors?: string }) => (await import("./audit.ts")).verifyAudit(options));
  audit
    .command("anchor")
    .description("print the signed end of the chain as one line of JSON, to keep where nobody who can write the database can")
    .addHelpText(
      "after",
      "\nExample:\n  sightline audit anchor >> anchors.jsonl && git commit -m 'Audit' anchors.jsonl\n  sightline audit verify --anchors anchors.jsonl",
    )
    .action(async () => (await import("./audit.ts")).printAnchor());
  audit
    .command("accept-restore")
    .description("take the audit for what it is now, after you restored a backup or exchanged the database; the audit tells of it")
    .option("--head <head>", "the head that this command showed; without it, only what would be accepted is shown")
    .addHelpText(
      "after",
      "\nEvery host keeps the last signed end of the audit in SIGHTLINE_HOME. A database that lacks it is not signed until you say that it\nis meant: Sightline cannot tell a restored backup from an audit that somebody cut off. Run it on a host that refuses to sign, while\nSightline runs or not; it is for all hosts.",
    )
    .action(async (options: { head?: string }) => (await import("./accept-restore.ts")).acceptRestore(options));
  audit
    .command("export")
    .description("write all rows as JSON to stdout, one a line, oldest first, with their hashes")
    .option("--from <time>", "the first day (UTC) or time, in ISO 8601")
    .option("--to <time>", "the day or time before which it ends")
    .addHelpText("after", "\nExample:\n  sightline audit export --from 2026-01-01 --to 2026-02-01 > january.jsonl")
    .action(async (options: { from?: string; to?: string }) => (await import("./audit.ts")).exportAudit(options));

  const tenant = program.command("tenant").description("Manage tenants.");
  tenant
    .command("add")
    .description("make a tenant: an organization with its own code and projects")
    .argument("<name>", "lower-case letters, digits and _")
    .action(async (name: string) => (await import("./tenant.ts")).addTenant(name));
  tenant
    .command("list")
    .description("show every tenant: its accounts, repositories and chunks, and whether it is being deleted")
    .action(async () => (await import("./tenant.ts")).listTenants());
  tenant
    .command("delete")
    .description("delete a tenant for good: its accounts, repositories, index, tokens and credentials")
    .argument("<name>", "as tenant list shows it")
    .option("--yes", "really delete it; without this, only what would go is shown")
    .addHelpText("after", "\nNobody gets in from that moment; the index is removed in the background by a running indexer.")
    .action(async (name: string, options: { yes?: boolean }) => {
      const { deleteTenant } = await import("./tenant.ts");
      await deleteTenant(name, { yes: options.yes === true });
    });

  return program;
}

function describeRoles(): string {
  return roleNames.map((name) => `  ${name.padEnd(14)} ${roleTasks[name]}`).join("\n");
}
