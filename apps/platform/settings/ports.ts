import { createServer } from "node:net";
import { setTimeout as delay } from "node:timers/promises";

export type NeededPort = {
  readonly port: number;
  readonly host: string;
  /** The user of the port, for messages. */
  readonly use: string;
  readonly variable: string;
};

/** Finds the ports that can't be listened on, each as one sentence with the variable that changes it. */
export async function findPortProblems(needed: readonly NeededPort[]): Promise<readonly string[]> {
  const isSecond = ({ port }: NeededPort, index: number) => port !== 0 && needed.findIndex((other) => other.port === port) !== index;
  const twice = needed.filter(isSecond);
  // Two probes of one port would find each other.
  const probed = await Promise.all(needed.filter((one, index) => !isSecond(one, index)).map(describeProblem));
  const taken = probed.filter((problem) => problem !== undefined);
  return [...taken, ...twice.map(({ port, use, variable }) => `port ${port} is asked for twice; give ${use} another with ${variable}`)];
}

/**
 * @throws {Error} naming every port that can't be had, at once.
 *   `patienceMs` gives a Sightline that was killed a moment ago the time to let go of them.
 */
export async function demandFreePorts(needed: readonly NeededPort[], patienceMs: number): Promise<void> {
  const deadline = Date.now() + patienceMs;
  let problems = await findPortProblems(needed);
  while (problems.length > 0 && Date.now() < deadline) {
    await delay(200);
    problems = await findPortProblems(needed);
  }
  if (problems.length > 0) {
    throw new Error(`Sightline can't start:\n${problems.map((problem) => `  - ${problem}`).join("\n")}`);
  }
}

async function describeProblem({ port, host, use, variable }: NeededPort): Promise<string | undefined> {
  const code = await probe(host, port);
  if (code === undefined) {
    return undefined;
  }
  const reason = code === "EADDRINUSE" ? "is in use by another process" : `can't be opened on ${host} (${code})`;
  return `port ${port} (${use}) ${reason}; choose another with ${variable}`;
}

function probe(host: string, port: number): Promise<string | undefined> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once("error", (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
    server.listen({ port, host }, () => server.close(() => resolve(undefined)));
  });
}
