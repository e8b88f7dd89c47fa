import type { Check } from "@sightline/foundation/health";

/** Explanations of codes of Redis that mean more than that it is away. */
const MEANINGS: Readonly<Record<string, string>> = {
  MISCONF: "can't write to its disk: make room there",
};

/** Hides the details of a check, since anyone may read it: it names what failed and the error's code, but no host, user or address. */
export function publicly(name: string, { check }: Check): Check {
  return {
    name,
    check: async () => {
      try {
        await check();
      } catch (error) {
        const code = codeOf(error);
        throw new Error(`${name} ${MEANINGS[code] ?? "does not answer"} (${code})`, { cause: error });
      }
    },
  };
}

function codeOf(error: unknown): string {
  if (error instanceof Error && "code" in error && typeof error.code === "string") {
    return error.code;
  }
  // Redis starts its errors with a code, e.g. NOAUTH.
  const [code] = /^[A-Z]{3,}\b/.exec(error instanceof Error ? error.message : "") ?? [];
  return code ?? "no connection";
}
