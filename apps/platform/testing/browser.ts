export type Browser = {
  /** Goes to an address and on wherever it is led, until an answer leads nowhere else or to another site. */
  readonly goTo: (address: URL) => Promise<{ readonly at: URL; readonly status: number | undefined }>;
  /** A request of a page of the site. */
  readonly ask: (path: string, init: BrowserRequest) => Promise<Response>;
};

type BrowserRequest = { readonly method?: string; readonly headers?: Readonly<Record<string, string>>; readonly body?: string };

type Cookie = { readonly name: string; readonly value: string; readonly path: string };

/** Keeps the cookies of one site by their paths, as browsers do. */
export function openBrowser(site: string): Browser {
  let cookies: Cookie[] = [];

  async function send(address: URL, init: BrowserRequest): Promise<Response> {
    const fitting = cookies.filter(({ path }) => address.pathname === path || address.pathname.startsWith(path.replace(/\/?$/, "/")));
    const headers = { ...init.headers, cookie: fitting.map(({ name, value }) => `${name}=${value}`).join("; ") };
    const answer = await fetch(address, { ...init, headers, redirect: "manual" });
    for (const line of answer.headers.getSetCookie()) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      const path = /; *path=([^;]+)/i.exec(line)?.[1] ?? "/";
      cookies = [...cookies.filter((one) => one.name !== name || one.path !== path), { name, value, path }];
    }
    return answer;
  }

  return {
    goTo: async (address) => {
      for (let at = address, steps = 0; steps < 10; steps += 1) {
        if (at.origin !== new URL(site).origin) {
          return { at, status: undefined };
        }
        const answer = await send(at, { headers: { accept: "text/html" } });
        const next = answer.headers.get("location");
        if (next === null) {
          return { at, status: answer.status };
        }
        at = new URL(next, at);
      }
      throw new Error("The browser was led round in circles.");
    },
    ask: (path, init) => send(new URL(path, site), init),
  };
}
