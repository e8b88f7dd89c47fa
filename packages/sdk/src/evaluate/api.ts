import { setTimeout as sleep } from "node:timers/promises";
import { EvaluationError, RefusedError } from "./evaluation-error.ts";
import { processEnvironment } from "../settings/settings.ts";

const CALL_TIMEOUT = 30_000;
const MAX_TRIES = 6;
const FIRST_WAIT = 500;
const PAGE = 100;
const NOT_NOW = new Set([429, 502, 503, 504]);
const UUID = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i;

type Query = Readonly<Record<string, string | number | null | undefined>>;
type Page<T> = { readonly items: readonly T[]; readonly next_cursor: string | null };

export function isUuid(text: string): boolean {
  return UUID.test(text);
}

/** The platform's API for one project. Whatever fails for now is tried again. */
export class Api {
  readonly projectId: string;
  readonly #url: string;
  readonly #key: string;

  /** What is not given comes from the variables; all that is missing is named at once. */
  constructor(url: string | undefined, key: string | undefined, projectId: string | undefined) {
    this.#url = (url ?? processEnvironment["OBS_API_URL"] ?? "").replace(/\/+$/, "");
    this.#key = key ?? processEnvironment["OBS_API_KEY"] ?? "";
    this.projectId = (projectId ?? processEnvironment["OBS_PROJECT_ID"] ?? "").toLowerCase();
    const missing = [
      /^https?:\/\//.test(this.#url) ? "" : "the platform's address (apiUrl or OBS_API_URL; http:// or https://)",
      this.#key === "" ? "an API key with the scope evaluate (apiKey or OBS_API_KEY)" : "",
      isUuid(this.projectId) ? "" : "the project's id (projectId or OBS_PROJECT_ID; a UUID)",
    ].filter((each) => each !== "");
    if (missing.length > 0) {
      throw new EvaluationError(`An evaluation needs ${missing.join(", ")}.`);
    }
  }

  address(path: string): string {
    return `${this.#url}/api/v1/projects/${this.projectId}${path}`;
  }

  async get<T>(path: string, query: Query = {}): Promise<T> {
    const given = new URLSearchParams();
    for (const [name, value] of Object.entries(query)) {
      if (value !== undefined && value !== null) {
        given.set(name, String(value));
      }
    }
    return await this.#ask<T>(`${this.address(path)}?${given.toString()}`, {});
  }

  async post<T>(path: string, body: unknown): Promise<T> {
    return await this.#ask<T>(this.address(path), { method: "POST", body: JSON.stringify(body) });
  }

  /** All entries of a list, or the first of them and at least as many as are wanted. */
  async list<T>(path: string, query: Query = {}, wanted = Infinity): Promise<readonly T[]> {
    const found: T[] = [];
    let cursor: string | null = null;
    do {
      const page: Page<T> = await this.get<Page<T>>(path, { ...query, limit: Math.min(PAGE, wanted), cursor });
      found.push(...page.items);
      cursor = page.next_cursor;
    } while (cursor !== null && found.length < wanted);
    return found;
  }

  async #ask<T>(address: string, request: RequestInit): Promise<T> {
    const headers = { authorization: `Bearer ${this.#key}`, "content-type": "application/json" };
    let failure = "";
    for (let number = 0; number < MAX_TRIES; number += 1) {
      if (number > 0) {
        await sleep(FIRST_WAIT * 2 ** (number - 1) * (0.8 + Math.random() * 0.4));
      }
      let response: Response;
      let text: string;
      try {
        // A redirect would take the key to whatever host it names.
        response = await fetch(address, { ...request, headers, redirect: "manual", signal: AbortSignal.timeout(CALL_TIMEOUT) });
        text = await response.text();
      } catch (error) {
        failure = error instanceof Error ? error.message : String(error);
        continue;
      }
      if (NOT_NOW.has(response.status)) {
        failure = `${response.status} ${response.statusText}`;
        continue;
      }
      if (!response.ok) {
        throw readRefusal(response.status, text);
      }
      try {
        return JSON.parse(text) as T;
      } catch {
        throw new EvaluationError(`${this.#url} (OBS_API_URL) does not answer as the platform does.`);
      }
    }
    throw new EvaluationError(`${this.#url} (OBS_API_URL) was asked ${MAX_TRIES} times and did not answer: ${failure}.`);
  }
}

type Refusal = { readonly message?: unknown; readonly details?: readonly { readonly path: string; readonly message: string }[] };

function readRefusal(status: number, text: string): RefusedError {
  const hint = status === 401 || status === 403 ? " (apiKey or OBS_API_KEY is to be a key with the scope evaluate)" : "";
  try {
    const { message, details = [] } = JSON.parse(text) as Refusal;
    if (typeof message === "string") {
      const where = details.slice(0, 3).map((each) => `${each.path}: ${each.message}`);
      return new RefusedError(`${message}${where.length === 0 ? "" : ` (${where.join("; ")})`}${hint}`, status);
    }
  } catch {
    // A proxy's answer is no JSON; its status says enough.
  }
  return new RefusedError(`The platform answered ${status}.${hint}`, status);
}
