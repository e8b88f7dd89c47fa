import type { QueryClient } from "@tanstack/react-query";
import type { Api } from "#http/api.ts";

export type RouterContext = { readonly api: Api; readonly queries: QueryClient };

/** Search parameters are plain text, so that `?q=123` stays what was typed. */
export function parseSearch(search: string): Record<string, string> {
  return Object.fromEntries(new URLSearchParams(search));
}

export function stringifySearch(search: Readonly<Record<string, unknown>>): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(search)) {
    if (typeof value === "string" && value !== "") {
      query.set(name, value);
    }
  }
  const text = query.toString();
  return text === "" ? "" : `?${text}`;
}

/** Where to go after the login: only into this console, never to another site. */
export function safeTarget(target: string | undefined): string {
  if (target === undefined || !/^\/(?![/\\])/.test(target) || /^\/login(?![^/?#])/.test(target)) {
    return "/";
  }
  return target;
}
