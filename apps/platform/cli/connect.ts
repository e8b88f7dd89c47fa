import { styleText } from "node:util";
import { ASSISTANTS } from "#connect/assistants.ts";
import { askWhether } from "#connect/ask.ts";
import { carryOut } from "#connect/carry-out.ts";
import { TOKEN_VARIABLE, type Server } from "#connect/entries.ts";
import { findAssistants } from "#connect/find-assistants.ts";
import { notesOn } from "#connect/notes.ts";
import { shortened, thisMachine, type Machine } from "#connect/places.ts";
import { fileOf, planConnection, planUndo, type Plan } from "#connect/plan.ts";
import { readReceipts } from "#connect/receipts.ts";
import { showChange } from "#connect/show-change.ts";
import { readCredential } from "#connect/token.ts";
import { deriveEnvironment } from "#settings/environment.ts";
import { UsageError } from "#settings/failure.ts";
import { withRunningAddresses } from "#settings/running.ts";

export type ConnectOptions = {
  readonly url?: string;
  readonly only?: string;
  /** A text when somebody wrote a token on the command line, false for `--no-token`. */
  readonly token?: string | boolean;
  readonly tokenStdin?: boolean;
  readonly yes?: boolean;
  readonly dryRun?: boolean;
  readonly undo?: boolean;
};

/** A plan and whom it is for. */
type Planned = { readonly name: string; readonly path: string; readonly plan: Plan };

/** `sightline connect`: exits with 1 when a file could not be written. */
export async function connect(options: ConnectOptions): Promise<void> {
  demandSense(options);
  const machine = thisMachine(process.env);
  const named = namedBy(options.only);
  if (options.undo === true) {
    await offer(machine, options, await planAllUndos(machine, named), undefined);
    return;
  }
  const found = await findAssistants(machine);
  const chosen = found.filter(({ id }) => named === undefined || named.includes(id));
  const missing = ASSISTANTS.filter(({ id }) => named?.includes(id) === true && !chosen.some((one) => one.id === id));
  for (const { name, programs } of missing) {
    console.error(
      `${name} was not found: no folder of it in your home, no ${programs.join(" or ")} on PATH. Start it once, then do this again.`,
    );
  }
  if (chosen.length === 0) {
    console.error(
      named === undefined ? `No assistant was found. Looked for ${ASSISTANTS.map(({ name }) => name).join(", ")}.` : "Nothing was changed.",
    );
    process.exitCode = 1;
    return;
  }
  const server: Server = {
    url: await urlOf(options),
    credential: await readCredential(
      {
        withToken: options.token !== false,
        fromStdin: options.tokenStdin === true,
        isWanted: chosen.some(({ token }) => token !== "asks"),
      },
      process.env,
    ),
  };
  const receipts = await readReceipts(machine);
  const planned = await Promise.all(
    chosen.map(async (assistant) => {
      const path = fileOf(assistant, machine);
      return { name: assistant.name, path, plan: await planConnection(assistant, path, server, receipts) };
    }),
  );
  const isDone = await offer(machine, options, planned, "token" in server.credential ? server.credential.token : undefined);
  if (isDone) {
    console.log(`\n${notesOn(chosen, server).join("\n")}`);
  }
  process.exitCode = missing.length > 0 ? 1 : process.exitCode;
}

function demandSense({ token, tokenStdin, yes, dryRun }: ConnectOptions): void {
  if (typeof token === "string") {
    throw new UsageError(
      `A token does not belong on the command line, where other users and the shell's history see it: set ${TOKEN_VARIABLE}, use --token-stdin, or be asked. Revoke this one at Connect in the console.`,
    );
  }
  if (token === false && tokenStdin === true) {
    throw new UsageError("--no-token and --token-stdin contradict each other: leave one out.");
  }
  if (yes !== true && dryRun !== true && (tokenStdin === true || !process.stdin.isTTY)) {
    throw new UsageError("Nobody can be asked here. Add --yes to write without asking, or --dry-run to only look.");
  }
}

function namedBy(only: string | undefined): readonly string[] | undefined {
  const names = only?.split(",").map((name) => name.trim());
  const known = ASSISTANTS.map(({ id }) => id);
  const unknown = names?.find((name) => !known.includes(name));
  if (unknown !== undefined) {
    throw new UsageError(`There is no assistant ${JSON.stringify(unknown)}. The assistants are: ${known.join(", ")}.`);
  }
  return names;
}

async function urlOf({ url }: ConnectOptions): Promise<string> {
  const parsed = URL.parse(url ?? deriveEnvironment(await withRunningAddresses(process.env)).environment["CODEINDEX_PUBLIC_URL"] ?? "");
  if (parsed === null || !["http:", "https:"].includes(parsed.protocol)) {
    throw new UsageError(
      "The address (--url or CODEINDEX_PUBLIC_URL) must start with https:// or http://, e.g. https://sightline.example.org/mcp.",
    );
  }
  if (parsed.username !== "" || parsed.password !== "") {
    throw new UsageError("The address (--url or CODEINDEX_PUBLIC_URL) must hold no name and no password: every assistant would show them.");
  }
  if (url === undefined || parsed.pathname === "/") {
    parsed.pathname = `${parsed.pathname.replace(/\/+$/, "")}/mcp`;
  }
  return parsed.href;
}

async function planAllUndos(machine: Machine, named: readonly string[] | undefined): Promise<readonly Planned[]> {
  const receipts = (await readReceipts(machine)).filter(({ assistant }) => named === undefined || named.includes(assistant));
  return Promise.all(
    receipts.map(async (receipt) => ({
      name: ASSISTANTS.find(({ id }) => id === receipt.assistant)?.name ?? receipt.assistant,
      path: receipt.file,
      plan: await planUndo(receipt),
    })),
  );
}

/** Shows what would change, asks, and does it. Says whether anything was done. */
async function offer(machine: Machine, options: ConnectOptions, planned: readonly Planned[], token: string | undefined): Promise<boolean> {
  for (const one of planned) {
    show(machine, one, options.undo === true, token);
  }
  const changes = planned.flatMap(({ plan, ...one }) => (plan.kind === "change" ? [{ ...one, plan }] : []));
  const hasProblems = planned.some(({ plan }) => plan.kind === "problem");
  process.exitCode = hasProblems ? 1 : 0;
  if (changes.length === 0) {
    const isEmptyUndo = options.undo === true && planned.length === 0;
    console.log(isEmptyUndo ? "There is nothing to undo: nothing was written." : hasProblems ? "Nothing was changed." : "Nothing to do.");
    return false;
  }
  if (options.dryRun === true) {
    console.log("Nothing was written (--dry-run).");
    return false;
  }
  if (options.yes !== true && !(await askWhether(changes.length === 1 ? "Change this file?" : `Change these ${changes.length} files?`))) {
    console.log("Nothing was written.");
    return false;
  }
  for (const { name, path, plan } of changes) {
    const problem = await carryOut(machine, plan);
    if (problem === undefined) {
      console.log(`${styleText("green", options.undo === true ? "Undone" : "Connected")} ${name}`);
    } else {
      console.error(`${name}: ${shortened(machine, path)} ${problem}`);
      process.exitCode = 1;
    }
  }
  return options.undo !== true;
}

function show(machine: Machine, { name, path, plan }: Planned, isUndo: boolean, token: string | undefined): void {
  const place = shortened(machine, path);
  if (plan.kind === "problem") {
    console.error(`${name}: ${place} ${plan.problem}\n`);
    return;
  }
  const remark =
    plan.kind === "nothing"
      ? "is connected already"
      : plan.file.text === undefined
        ? isUndo
          ? "is gone already"
          : "new file"
        : plan.after === undefined
          ? "is deleted, as it was made by this"
          : "";
  console.log(`${styleText("bold", name)}  ${place}${remark === "" ? "" : `  ${styleText("dim", remark)}`}`);
  if (plan.kind === "change") {
    console.log(showChange(plan.file.text ?? "", plan.after ?? "", token));
  }
  console.log("");
}
