import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { findFolderHolder } from "@sightline/foundation/files/folder-lock";
import { z } from "zod";
import { deriveEnvironment, type Environment } from "#settings/environment.ts";

const FILE = "running.json";
const addressesSchema = z.record(z.string(), z.string());

/** Keeps the ports and public addresses that the product in this folder was started with, for commands of another shell. */
export async function rememberAddresses(home: string, given: Environment): Promise<void> {
  const addresses = Object.entries(given).filter(([name, value]) => /_PORT$|PUBLIC_URL$/.test(name) && value !== undefined && value !== "");
  await writeFile(join(home, FILE), JSON.stringify(Object.fromEntries(addresses)), { mode: 0o600 });
}

/** Adds the ports and addresses of the product that runs in the same folder, if one does; what is set wins. */
export async function withRunningAddresses(given: Environment): Promise<Environment> {
  const home = deriveEnvironment(given).environment["SIGHTLINE_HOME"] ?? "";
  if ((await findFolderHolder(home).catch(() => undefined)) === undefined) {
    return given;
  }
  const text = await readFile(join(home, FILE), "utf8").catch(() => "{}");
  return { ...addressesSchema.parse(JSON.parse(text)), ...Object.fromEntries(Object.entries(given).filter(([, value]) => value !== "")) };
}
