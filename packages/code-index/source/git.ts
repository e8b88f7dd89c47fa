import { spawn, type ChildProcessWithoutNullStreams } from "node:child_process";
import { SourceError, sourceErrorFrom } from "./source-error.ts";

export type GitOptions = {
  readonly arguments: readonly string[];
  /** git's repository, for the commands that need one. */
  readonly directory?: string;
  readonly allowFileUrls: boolean;
  readonly signal: AbortSignal;
};

/** No call to git may take longer. */
const LIMIT_MS = 10 * 60_000;
/** What a process that was asked to end may take to remove its lock files. */
const GRACE_MS = 2_000;
/** Of what git complains about, the end is kept. */
const COMPLAINT = 16_384;

/** What git needs to know of our environment; our own secrets are not in it. */
const INHERITED = [
  "PATH",
  "HOME",
  "TMPDIR",
  "SSH_AUTH_SOCK",
  "HTTPS_PROXY",
  "https_proxy",
  "NO_PROXY",
  "no_proxy",
  "SSL_CERT_FILE",
  "SSL_CERT_DIR",
  "GIT_SSL_CAINFO",
];

/** Settings that outrank a repository's own. A data folder of another user is no reason to refuse: the mirrors are ours. */
const SETTINGS: readonly (readonly [string, string])[] = [
  ["core.hooksPath", "/dev/null"],
  ["core.fsmonitor", "false"],
  ["credential.helper", ""],
  ["http.followRedirects", "false"],
  ["http.lowSpeedLimit", "1000"],
  ["http.lowSpeedTime", "60"],
  ["fetch.recurseSubmodules", "false"],
  ["gc.autoDetach", "false"],
  ["maintenance.autoDetach", "false"],
  ["safe.directory", "*"],
];

export type RunningGit = {
  readonly child: ChildProcessWithoutNullStreams;
  /** Settles when the process has ended; rejects with git's reason when it failed, was too slow or was aborted. */
  readonly ended: Promise<void>;
  readonly stop: () => void;
};

/** Runs git and returns what it prints. @throws {SourceError} with git's own reason. */
export async function runGit(options: GitOptions): Promise<Buffer> {
  const { child, ended } = startGit(options);
  const printed: Buffer[] = [];
  child.stdout.on("data", (data: Buffer) => printed.push(data));
  child.stdin.end();
  await ended;
  return Buffer.concat(printed);
}

/** Starts git in a process group of its own, so that its helpers end with it. */
export function startGit({ arguments: given, directory, allowFileUrls, signal }: GitOptions): RunningGit {
  signal.throwIfAborted();
  const child = spawn("git", [...(directory === undefined ? [] : [`--git-dir=${directory}`]), ...given], {
    detached: true,
    stdio: "pipe",
    env: environment(allowFileUrls),
  });
  let complaint = "";
  child.stderr.on("data", (data: Buffer) => {
    complaint = (complaint + data.toString("utf8")).slice(-COMPLAINT);
  });
  // A process that ends early closes its input; its exit tells why.
  child.stdin.on("error", () => undefined);

  let late = false;
  let over = false;
  let grace: NodeJS.Timeout | undefined;
  const stop = () => {
    if (over) {
      return;
    }
    endGroup(child, "SIGTERM");
    grace ??= setTimeout(() => endGroup(child, "SIGKILL"), GRACE_MS);
  };
  const limit = setTimeout(() => {
    late = true;
    stop();
  }, LIMIT_MS);
  signal.addEventListener("abort", stop, { once: true });

  const ended = new Promise<void>((resolve, reject) => {
    const finish = (error?: unknown) => {
      over = true;
      clearTimeout(limit);
      clearTimeout(grace);
      signal.removeEventListener("abort", stop);
      if (error === undefined) {
        resolve();
      } else {
        // oxlint-disable-next-line typescript/prefer-promise-reject-errors -- an abort's reason is the aborter's
        reject(error);
      }
    };
    child.once("error", (cause) => finish(new SourceError(`git could not be started: ${cause.message}`, { transient: true, cause })));
    child.once("close", (code, killedBy) => {
      if (signal.aborted) {
        finish(signal.reason);
      } else if (late) {
        finish(new SourceError(`git took longer than ${LIMIT_MS / 60_000} minutes`, { transient: true }));
      } else {
        finish(code === 0 ? undefined : sourceErrorFrom(complaint, killedBy ?? `exit code ${code}`));
      }
    });
  });
  // Whoever reads its output may learn of the failure later than it happens.
  ended.catch(() => undefined);
  return { child, ended, stop };
}

function endGroup(child: ChildProcessWithoutNullStreams, signal: NodeJS.Signals): void {
  if (child.pid === undefined) {
    return;
  }
  try {
    process.kill(-child.pid, signal);
  } catch {
    // The group has ended already.
  }
}

function environment(allowFileUrls: boolean): NodeJS.ProcessEnv {
  // oxlint-disable-next-line node/no-process-env -- not configuration of ours: a program we start needs its search path, home and proxy
  const own = process.env;
  return {
    ...Object.fromEntries(INHERITED.flatMap((name) => (own[name] === undefined ? [] : [[name, own[name]]]))),
    LC_ALL: "C",
    GIT_TERMINAL_PROMPT: "0",
    GIT_CONFIG_NOSYSTEM: "1",
    GIT_CONFIG_GLOBAL: "/dev/null",
    GIT_ALLOW_PROTOCOL: allowFileUrls ? "https:ssh:file" : "https:ssh",
    GIT_SSH_COMMAND: "ssh -o BatchMode=yes -o ConnectTimeout=20",
    GIT_NO_LAZY_FETCH: "1",
    GIT_CONFIG_COUNT: String(SETTINGS.length),
    ...Object.fromEntries(
      SETTINGS.flatMap(([key, value], index) => [
        [`GIT_CONFIG_KEY_${index}`, key],
        [`GIT_CONFIG_VALUE_${index}`, value],
      ]),
    ),
  };
}
