import { afterAll, vi } from "vitest";

/** The next test file runs in the same process. */
afterAll(() => {
  vi.unstubAllEnvs();
  vi.unstubAllGlobals();
  vi.useRealTimers();
});
