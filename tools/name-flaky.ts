import type { Reporter, TestModule } from "vitest/node";

/**
 * Names every test that passed only when it was tried again. Such a test does not stop a run, which shares its machine with others, and
 * it is not quiet either: each line is a fault of the test or of the product that is to be found.
 */
// oxlint-disable-next-line import/no-default-export -- what vitest asks of a reporter
export default class NameFlaky implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    for (const module of modules) {
      for (const test of module.children.allTests()) {
        if (test.diagnostic()?.flaky === true) {
          process.stdout.write(`FLAKY ${module.relativeModuleId} > ${test.fullName}\n`);
        }
      }
    }
  }
}
