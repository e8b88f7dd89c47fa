import { flushCompileCache } from "node:module";
import { loadRole } from "#compose/compose.ts";
import { roleNames } from "#settings/role-names.ts";
import "#compose/prepare.ts";

/** Run with `NODE_COMPILE_CACHE` while an image is built: a container then starts without compiling anything. */
await Promise.all(roleNames.map(loadRole));
flushCompileCache();
