import {
  booleanVariable,
  httpUrlVariable,
  integerVariable,
  portVariable,
  type ConfigOf,
  type Variables,
} from "@sightline/foundation/config";
import { z } from "zod";

/** The variables of the program around the parts: its folder, ports, and addresses of the parts. */
export const platformVariables = {
  SIGHTLINE_HOME: {
    doc: "Folder of the embedded stores, the generated secrets, the mirrors of repositories and the last signed end of the audit.",
    schema: z.string().min(1),
    default: "./.sightline",
  },
  SIGHTLINE_HOST: {
    doc: "Address that the roles listen on; 0.0.0.0 for all.",
    schema: z.union([z.ipv4(), z.ipv6(), z.literal("localhost")], "expected an IP address or localhost"),
    default: "127.0.0.1",
  },
  SIGHTLINE_POSTGRES_PORT: {
    doc: "Port of the embedded PostgreSQL, used when neither DATABASE_URL nor CODEINDEX_DATABASE_URL is set.",
    schema: portVariable(),
    default: "5433",
  },
  SIGHTLINE_REDIS_PORT: {
    doc: "Port of the embedded Redis, used when OBSERVABILITY_REDIS_URL is not set.",
    schema: portVariable(),
    default: "6380",
  },
  SIGHTLINE_TRUSTED_PROXIES: {
    doc: "Reverse proxies whose X-Forwarded-For is believed: addresses, ranges or `loopback`, separated by commas. Must hold the address of the console.",
    schema: z.string().transform((text) =>
      text
        .split(",")
        .map((part) => part.trim())
        .filter((part) => part !== ""),
    ),
    default: "loopback",
  },
  SIGHTLINE_WAIT_SECONDS: {
    doc: "Seconds that a start waits for the databases before it gives up.",
    schema: integerVariable(1, 3600),
    default: "30",
  },
  CONSOLE_PORT: { doc: "Port of the console.", schema: portVariable(), default: "3000" },
  METRICS_TOKEN: {
    doc: "With it `GET /metrics` of the console's port answers `Authorization: Bearer …`; without it nobody, since that port is open to all.",
    schema: z.string("expected text").min(16, "expected at least 16 characters").max(512, "expected at most 512 characters").optional(),
    secret: true,
  },
  IDENTITY_URL: { doc: "Where the console's proxy finds identity.", schema: httpUrlVariable(), default: "http://127.0.0.1:8070" },
  CODEINDEX_URL: { doc: "Where the console's proxy finds the code index.", schema: httpUrlVariable(), default: "http://127.0.0.1:8080" },
  OBSERVABILITY_URL: {
    doc: "Where the console's proxy finds observability.",
    schema: httpUrlVariable(),
    default: "http://127.0.0.1:8000",
  },
  LOG_FORMAT: {
    doc: "`pretty` for people, `json` for machines (one JSON object a line).",
    schema: z.enum(["pretty", "json"], "expected pretty or json"),
    default: "pretty",
  },
  SIGHTLINE_INSTALL: {
    doc: "Whether a missing redis-server may be installed with apt-get when the process is root; at a terminal it asks before.",
    schema: booleanVariable(),
    default: "true",
  },
} as const satisfies Variables;

/** Variables of `sightline upload-scip` alone, which runs in somebody's CI. */
export const uploadVariables = {
  SIGHTLINE_TOKEN: {
    doc: "Developer token that `sightline upload-scip` sends.",
    schema: z.string().optional(),
    secret: true,
  },
} as const satisfies Variables;

export type PlatformConfig = ConfigOf<typeof platformVariables>;
