import type { DetailedHealth } from "@sightline/observability/contract";
import type { Health } from "./components/health-card.tsx";

/** A part without components of its own: it answers or it doesn't. */
export function simpleHealth(query: { readonly data: unknown; readonly error: Error | null }): Health | undefined {
  if (query.error !== null) {
    return { tone: "bad", label: "Not answering", note: query.error.message, parts: [] };
  }
  return query.data === undefined ? undefined : { tone: "ok", label: "Healthy", parts: [] };
}

export function detailedHealth(query: { readonly data: DetailedHealth | undefined; readonly error: Error | null }): Health | undefined {
  if (query.error !== null || query.data === undefined) {
    return simpleHealth(query);
  }
  const { status, components } = query.data;
  return {
    tone: status === "healthy" ? "ok" : "warn",
    label: status === "healthy" ? "Healthy" : "Degraded",
    parts: Object.entries(components).map(([name, component]) => ({
      name: NAMES[name] ?? name,
      tone: component.status === "up" ? "ok" : component.status === "down" ? "bad" : "idle",
      label: component.error ?? LABELS[component.status],
    })),
  };
}

const NAMES: Readonly<Record<string, string>> = { database: "Database", redis: "Redis", consumer: "Consumer" };
const LABELS = { up: "Up", down: "Down", unknown: "Unknown" } as const;
