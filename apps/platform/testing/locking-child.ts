import { lockHome } from "#embedded/home-lock.ts";

/** Tries to lock each home that it is told, and says whether it has got it. */
process.on("message", (home) => {
  lockHome(String(home)).then(
    () => process.send?.(true),
    () => process.send?.(false),
  );
});
process.send?.("ready");
