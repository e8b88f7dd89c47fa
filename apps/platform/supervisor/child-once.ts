import { launchChild, type ChildSpecification } from "./launch-child.ts";

type OnceOptions = {
  readonly onLine: (name: string, line: string) => void;
  readonly signal: AbortSignal;
};

/** Runs a process to its end. @throws {Error} when it fails. */
export function runChildOnce(specification: ChildSpecification, { onLine, signal }: OnceOptions): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const child = launchChild(specification, onLine);
  const end = () => child.kill("SIGKILL");
  signal.addEventListener("abort", end, { once: true });
  child.once("error", reject);
  child.once("close", (code, reason) => {
    signal.removeEventListener("abort", end);
    if (code === 0 || signal.aborted) {
      resolve();
    } else {
      reject(new Error(`${specification.name} failed (${reason ?? `exit code ${code}`}); its lines above say why.`));
    }
  });
  return promise;
}
