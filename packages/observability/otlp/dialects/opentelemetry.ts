import { withPrefix, type Dialect } from "./dialect.ts";

/** OpenTelemetry's general attributes, of spans and of the process; and our own. */
export const openTelemetry: Dialect = {
  name: "OpenTelemetry",
  canRead: withPrefix("code", "session", "user", "enduser", "deployment", "service", "sightline"),
  facts: {
    sessionId: ["session.id"],
    userId: ["user.id", "enduser.id"],
    environment: ["deployment.environment.name", "deployment.environment"],
    version: ["service.version"],
    namespace: ["service.namespace"],
    purpose: ["sightline.purpose"],
    codeFile: ["code.file.path", "code.filepath"],
    codeLine: ["code.line.number", "code.lineno"],
    codeFunction: ["code.function.name", "code.function"],
  },
};
