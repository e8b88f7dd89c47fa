import { createHash, randomUUID } from "node:crypto";
import { mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { request as requestHttp, type IncomingMessage } from "node:http";
import { request as requestHttps } from "node:https";
import { dirname, join } from "node:path";
import { sdkState } from "../client/sdk-state.ts";
import { cacheFolder, processEnvironment } from "../settings/settings.ts";
import type { KnownPrompt, PromptMessage, PromptTemplate } from "./prompt.ts";

/** Milliseconds in which an answer is to be whole, whoever still waits for it. */
const MAX_ASKING = 30_000;
const MAX_BYTES = 8 * 1024 * 1024;

/** Which prompt of which project. */
export type WantedPrompt = {
  readonly url: string;
  readonly projectId: string;
  readonly name: string;
  readonly label: string;
  readonly version: number | undefined;
};

/** Traces go to the publisher's project, so that is the prompt's. */
export function wantedPrompt(name: string, label: string, version: number | undefined): WantedPrompt {
  const projectId = sdkState.publisher?.settings.projectId ?? processEnvironment["OBS_PROJECT_ID"] ?? "";
  return { url: (processEnvironment["OBS_API_URL"] ?? "").replace(/\/+$/, ""), projectId: projectId.toLowerCase(), name, label, version };
}

/** As both SDKs have it. */
export function keyOfPrompt({ url, projectId, name, label, version }: WantedPrompt): string {
  return [url, projectId, name, version === undefined ? label : String(version)].join("\n");
}

/** Keeps no process alive. @throws what goes wrong, said in its message. */
export async function askPlatform({ url, projectId, name, label, version }: WantedPrompt): Promise<KnownPrompt> {
  const key = processEnvironment["OBS_API_KEY"] ?? "";
  if (!/^https?:\/\//.test(url) || key === "" || projectId === "") {
    throw new Error("OBS_API_URL, OBS_API_KEY (a key with the scope prompts) and OBS_PROJECT_ID are needed");
  }
  const asked = new URLSearchParams({ name, ...(version === undefined ? { label } : { version: String(version) }) });
  const address = new URL(`${url}/api/v1/projects/${projectId}/prompts/resolve?${asked.toString()}`);
  const answer = await new Promise<string>((resolve, reject) => {
    const options = { headers: { authorization: `Bearer ${key}` }, signal: AbortSignal.timeout(MAX_ASKING) };
    const request = (address.protocol === "https:" ? requestHttps : requestHttp)(address, options, (response) => {
      readText(response).then(resolve, reject);
    });
    request
      .on("socket", (socket) => socket.unref())
      .on("error", reject)
      .end();
  });
  const known = readKnown(JSON.parse(answer), name);
  if (known === undefined) {
    throw new Error("the answer is no prompt");
  }
  return known;
}

async function readText(response: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  let bytes = 0;
  for await (const part of response as AsyncIterable<Buffer>) {
    parts.push(part);
    bytes += part.length;
    if (bytes > MAX_BYTES) {
      throw new Error("the answer is too long");
    }
  }
  if (response.statusCode !== 200) {
    throw new Error(`the platform answered ${response.statusCode} ${response.statusMessage}`);
  }
  return Buffer.concat(parts).toString();
}

/** Keeps what the platform said in a file of this user. The SDK for Python keeps the same files. */
export async function keepKnown(wanted: WantedPrompt, known: KnownPrompt): Promise<void> {
  const path = pathOf(wanted);
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const temporary = `${path}.${randomUUID()}`;
  try {
    await writeFile(temporary, JSON.stringify({ name: wanted.name, ...known }), { mode: 0o600, flag: "wx" });
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}

export async function findKept(wanted: WantedPrompt): Promise<KnownPrompt | undefined> {
  try {
    return readKnown(JSON.parse(await readFile(pathOf(wanted), "utf8")), wanted.name);
  } catch {
    return undefined;
  }
}

function pathOf(wanted: WantedPrompt): string {
  return join(cacheFolder(), "prompts", `${createHash("sha256").update(keyOfPrompt(wanted)).digest("hex")}.json`);
}

/** Undefined of anything that is no version of the prompt. */
function readKnown(value: unknown, wanted: string): KnownPrompt | undefined {
  const { name, version, template: given, config } = isRecord(value) ? value : {};
  const template = readTemplate(given);
  return name === wanted && typeof version === "number" && Number.isInteger(version) && template !== undefined && isRecord(config)
    ? { version, template, config }
    : undefined;
}

export function readTemplate(value: unknown): PromptTemplate | undefined {
  if (typeof value === "string") {
    return value;
  }
  const messages: readonly unknown[] = Array.isArray(value) ? value : [];
  return messages.length > 0 && messages.every(isMessage) ? messages.map(({ role, content }) => ({ role, content })) : undefined;
}

function isMessage(value: unknown): value is PromptMessage {
  return isRecord(value) && typeof value["role"] === "string" && typeof value["content"] === "string";
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
