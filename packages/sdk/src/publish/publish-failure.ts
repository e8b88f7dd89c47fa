export type FailureReason =
  | "unreachable"
  | "timeout"
  | "authentication"
  | "out_of_memory"
  | "wrong_type"
  | "read_only"
  | "rejected"
  | "disconnected";

/** Why Redis did not take events. The message never carries the URL, which may hold a password. */
export class PublishFailure extends Error {
  readonly reason: FailureReason;

  constructor(reason: FailureReason, message: string) {
    super(message);
    this.name = "PublishFailure";
    this.reason = reason;
  }
}

const REPLIES: readonly (readonly [RegExp, FailureReason, string])[] = [
  [/^(WRONGPASS|NOAUTH|NOPERM)|invalid password|invalid username/i, "authentication", "Redis refuses the credentials"],
  [/^OOM/, "out_of_memory", "Redis is out of memory"],
  [/^WRONGTYPE/, "wrong_type", "the stream's key holds something else than a stream"],
  [/^(MOVED|ASK|CLUSTERDOWN|TRYAGAIN)/, "disconnected", "the stream is on its way to another node of the Redis Cluster"],
  [/^(READONLY|MISCONF)/, "read_only", "Redis does not accept writes"],
];
const NETWORK_CODES = new Set(["ECONNREFUSED", "ENOTFOUND", "EAI_AGAIN", "EHOSTUNREACH", "ENETUNREACH", "EACCES", "ENOENT"]);

export function classifyFailure(error: unknown): PublishFailure {
  if (error instanceof PublishFailure) {
    return error;
  }
  const message = error instanceof Error ? error.message : String(error);
  const code = typeof error === "object" && error !== null && "code" in error ? String(error.code) : "";
  const reply = REPLIES.find(([pattern]) => pattern.test(message));
  if (reply !== undefined) {
    return new PublishFailure(reply[1], reply[2]);
  }
  if (code === "ETIMEDOUT" || /timed? ?out/i.test(message)) {
    return new PublishFailure("timeout", "Redis does not answer");
  }
  if (NETWORK_CODES.has(code)) {
    return new PublishFailure("unreachable", `Redis cannot be reached (${code})`);
  }
  if (error instanceof Error && error.name === "ReplyError") {
    return new PublishFailure("rejected", `Redis rejects events: ${message.slice(0, 200)}`);
  }
  return new PublishFailure("disconnected", "the connection to Redis broke");
}

/** Fails when the work takes longer. Its timer holds nothing alive: a process that has nothing else to do may end. */
export async function within<T>(milliseconds: number, work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new PublishFailure("timeout", "no answer in time")), milliseconds);
    timer.unref();
  });
  try {
    return await Promise.race([work, timeout]);
  } finally {
    clearTimeout(timer);
  }
}
