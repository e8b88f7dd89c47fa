import type { Intake } from "@sightline/observability/contract";

/** The stream that the SDK writes to when it is told of none. */
const DEFAULT_STREAM = "observability:events";

/** What an application needs in its environment to send its traces to a project, and to say where they are: in the console at `origin`. */
export function environmentFor(projectId: string, { redis_url, stream_name }: Intake, origin: string): string {
  return [
    `OBS_PROJECT_ID=${projectId}`,
    `OBS_REDIS_URL=${redis_url}`,
    ...(stream_name === DEFAULT_STREAM ? [] : [`OBS_STREAM_NAME=${stream_name}`]),
    `OBS_CONSOLE_URL=${origin}`,
  ].join("\n");
}

/** What the address of the Redis leaves to the reader. */
export function redisNotes({ redis_url }: Intake): readonly string[] {
  return [
    ...(/[/@](?:127\.0\.0\.1|localhost)[:/]/.test(`${redis_url}/`)
      ? [
          "127.0.0.1 is the machine that Sightline runs on. For agents elsewhere give it a Redis that they reach (OBSERVABILITY_REDIS_URL), or use an OpenTelemetry exporter.",
        ]
      : []),
    ...(redis_url.includes("…@") ? ["Replace “…” with the Redis username and password."] : []),
  ];
}

/** The variables for an application that has an OpenTelemetry exporter already; without a key a placeholder stands for it. */
export function exporterEnvironment(otlpUrl: string, key = "studio_…"): string {
  return [`OTEL_EXPORTER_OTLP_HEADERS=x-api-key=${key}`, `OTEL_EXPORTER_OTLP_TRACES_ENDPOINT=${otlpUrl}`].join("\n");
}
