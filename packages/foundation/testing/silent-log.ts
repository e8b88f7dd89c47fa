import { createLog } from "#log.ts";

export const silentLog = createLog({ name: "test", level: "silent" });
