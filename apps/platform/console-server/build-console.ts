import { consoleFolder, ensureConsoleBuilt } from "./console-build.ts";

/** For images, which build the console once instead of at each start. */
await ensureConsoleBuilt(consoleFolder(), console.log);
