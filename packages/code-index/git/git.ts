import { spawn, type ChildProcessWithoutNullStreams } from "node:child_process";
import { SourceError, sourceErrorFrom } from "./source-error.ts";

/** A setting of git's, as `git config` names it. */
export type GitSetting = readonly [name: string, value: string];

export type GitOptions = {
  /** Every user of the machine can read them: never a secret. */
  readonly arguments: readonly string[];
  /** git's repository, for the commands that need one. */
  readonly directory?: string;
  /** Given through the environment, which only our own user can read. */
  readonly settings?: readonly GitSetting[];
  /** The program that speaks ssh, in the shell's words. */
  readonly sshCommand?: string;
  /** Texts that git's complaints may repeat, since a remote may send anything back; they are taken out. */
  readonly secrets?: readonly string[];
  readonly allowFileUrls?: boolean;
  readonly signal: AbortSignal;
};

const MAX_GIT_MS = 10 * 60_000;
/** What a process that was asked to end may take to remove its lock files. */
const GRACE_MS = 2_000;
/** Characters kept of git's error output, from its end. */
const MAX_COMPLAINT = 16_384;

/** What git needs to know of our environment. Our own secrets are not in it, nor our user's keys and passwords, which every tenant would use. */
const PROXY = ["HTTPS_PROXY", "https_proxy", "NO_PROXY", "no_proxy"];
const INHERITED = ["PATH", "TMPDIR", ...PROXY, "SSL_CERT_FILE", "SSL_CERT_DIR", "GIT_SSL_CAINFO"];

/** Whether https goes through a proxy of the operator's, which looks the names up. */
export function goesThroughProxy(): boolean {
  const own = inherited();
  return own["HTTPS_PROXY"] !== undefined || own["https_proxy"] !== undefined;
}

function inherited(): Readonly<Record<string, string>> {
  // oxlint-disable-next-line node/no-process-env -- not configuration of ours: a program we start needs its search path and proxy
  const own = process.env;
  return Object.fromEntries(INHERITED.flatMap((name) => (own[name] === undefined || own[name] === "" ? [] : [[name, own[name]]])));
}

/** Settings that outrank a repository's own. A data folder of another user is no reason to refuse: the mirrors are ours. */
const SETTINGS: readonly GitSetting[] = [
  ["core.hooksPath", "/dev/null"],
  ["core.fsmonitor", "false"],
  ["credential.helper", ""],
  ["http.followRedirects", "false"],
  ["http.lowSpeedLimit", "1000"],
  ["http.lowSpeedTime", "60"],
  ["fetch.recurseSubmodules", "false"],
  // Every fetch is one pack, whose growth can be watched.
  ["fetch.unpackLimit", "1"],
  // Mapped at once, of the memory that git may have.
  ["core.packedGitLimit", "1g"],
  ["gc.auto", "0"],
  ["maintenance.auto", "false"],
  ["gc.autoDetach", "false"],
  ["maintenance.autoDetach", "false"],
  ["safe.directory", "*"],
  // What is larger is not looked into for what changed in it.
  ["core.bigFileThreshold", "1m"],
];

export type RunningGit = {
  readonly child: ChildProcessWithoutNullStreams;
  /** Settles when the process has ended; rejects with git's reason when it failed, was too slow or was aborted. */
  readonly ended: Promise<void>;
  readonly stop: () => void;
};

const MAX_ANSWER_BYTES = 128 * 1_024 * 1_024;

/**
 * Runs git and returns what it prints.
 *
 * @param input what it reads.
 * @throws {SourceError} with git's own reason.
 */
export async function runGit(options: GitOptions, input = ""): Promise<Buffer> {
  const { child, ended, stop } = startGit(options);
  const printed: Buffer[] = [];
  let length = 0;
  child.stdout.on("data", (data: Buffer) => {
    length += data.length;
    if (length > MAX_ANSWER_BYTES) {
      stop();
    } else {
      printed.push(data);
    }
  });
  child.stdin.end(input);
  try {
    await ended;
  } catch (error) {
    throw length > MAX_ANSWER_BYTES
      ? new SourceError("What git says of the repository is too long to be kept.", { transient: false, problem: "too_large", cause: error })
      : error;
  }
  return Buffer.concat(printed);
}

/**
 * Becomes git, with a limit on its memory in KiB, since a repository may be made to use it up; beside a process that
 * waits for the end of a pipe which only we hold open: when we end, however that happens, it ends git and git's helpers.
 */
const GIT_UNTIL_WE_END = 'ulimit -v 6291456 2>/dev/null; (read -r _ <&3; kill -KILL -$$) </dev/null >/dev/null 2>&1 & exec git "$@" 3<&-';

/** Starts git in a process group of its own, so that its helpers end with it; and all of them with us. */
export function startGit(options: GitOptions): RunningGit {
  const { arguments: given, directory, secrets = [], signal } = options;
  signal.throwIfAborted();
  const all = [...(directory === undefined ? [] : [`--git-dir=${directory}`]), ...given];
  const child = spawn("/bin/sh", ["-c", GIT_UNTIL_WE_END, "git", ...all], {
    detached: true,
    stdio: ["pipe", "pipe", "pipe", "pipe"],
    env: environment(options),
  });
  const leash = child.stdio[3];
  child.once("exit", () => leash?.destroy());
  let complaint = "";
  child.stderr.on("data", (data: Buffer) => {
    complaint = (complaint + data.toString("utf8")).slice(-MAX_COMPLAINT);
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
  }, MAX_GIT_MS);
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
        const message = `git took longer than ${MAX_GIT_MS / 60_000} minutes`;
        finish(new SourceError(message, { transient: true, problem: "too_slow", fromRemote: true }));
      } else {
        finish(code === 0 ? undefined : sourceErrorFrom(without(complaint, secrets), killedBy ?? `exit code ${code}`));
      }
    });
  });
  // Whoever reads its output may learn of the failure later than it happens.
  ended.catch(() => undefined);
  return { child, ended, stop };
}

function without(text: string, secrets: readonly string[]): string {
  return secrets.reduce((rest, secret) => rest.replaceAll(secret, "…"), text);
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

function environment({ settings = [], sshCommand = "false", allowFileUrls = false }: GitOptions): NodeJS.ProcessEnv {
  const all = [...SETTINGS, ...settings];
  return {
    ...inherited(),
    // No .netrc, no .gitconfig, no .ssh.
    HOME: "/dev/null",
    LC_ALL: "C",
    GIT_TERMINAL_PROMPT: "0",
    GIT_CONFIG_NOSYSTEM: "1",
    GIT_CONFIG_GLOBAL: "/dev/null",
    GIT_ALLOW_PROTOCOL: allowFileUrls ? "https:ssh:file" : "https:ssh",
    GIT_SSH_COMMAND: sshCommand,
    GIT_SSH_VARIANT: "ssh",
    GIT_NO_LAZY_FETCH: "1",
    GIT_CONFIG_COUNT: String(all.length),
    ...Object.fromEntries(
      all.flatMap(([name, value], index) => [
        [`GIT_CONFIG_KEY_${index}`, name],
        [`GIT_CONFIG_VALUE_${index}`, value],
      ]),
    ),
  };
}
