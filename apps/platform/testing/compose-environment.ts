import { z } from "zod";
import { readYaml } from "./read-yaml.ts";

const fileSchema = z.object({ services: z.record(z.string(), z.object({ environment: z.record(z.string(), z.string()).default({}) })) });

/** What compose.yaml gives to a service. */
export function environmentInCompose(service: string, set: Readonly<Record<string, string>>): Record<string, string> {
  return filledIn(fileSchema.parse(readYaml("compose.yaml")[0]).services[service]?.environment ?? {}, set);
}

/** As compose fills in `${NAME:-default}` and `${NAME:?why}` when .env holds so much. */
export function filledIn(environment: Readonly<Record<string, string>>, set: Readonly<Record<string, string>>): Record<string, string> {
  const value = (text: string) =>
    text.replace(/\$\{(\w+)(?::-([^}]*)|:\?[^}]*)\}/g, (_, name: string, fallback?: string) => set[name] ?? fallback ?? "");
  return Object.fromEntries(Object.entries(environment).map(([name, text]) => [name, value(text)]));
}
