import { withoutUserInfo } from "@sightline/foundation/http/address";
import type { HttpServer } from "@sightline/foundation/http/http-server";
import type { ObservabilityConfig } from "#config.ts";
import { intakeSchema } from "#contract.ts";

type IntakeConfig = Pick<
  ObservabilityConfig,
  "OBSERVABILITY_REDIS_URL" | "OBSERVABILITY_STREAM_NAME" | "OBSERVABILITY_PUBLIC_URL" | "OBSERVABILITY_PUBLIC_REDIS_URL"
>;

/** Tells applications where to send traces, so that nobody has to guess ports. */
export function intakeRoutes(config: IntakeConfig) {
  const intake = {
    redis_url: withoutUserInfo(config.OBSERVABILITY_PUBLIC_REDIS_URL ?? config.OBSERVABILITY_REDIS_URL),
    stream_name: config.OBSERVABILITY_STREAM_NAME,
    otlp_url: `${config.OBSERVABILITY_PUBLIC_URL}/v1/traces`,
  };
  return (server: HttpServer): void => {
    server.get(
      "/api/v1/intake",
      {
        config: { auth: "user-or-operator" },
        schema: { summary: "Where observed applications send events and spans to", response: { 200: intakeSchema } },
      },
      async () => intake,
    );
  };
}
