// What must be so before anything else runs. It is a file, not inline, because the content security policy allows no inline scripts.

// The colour scheme is known before the first paint.
(function () {
  var chosen = null;
  try {
    chosen = localStorage.getItem("mantine-color-scheme-value");
  } catch {
    // Storage can be blocked; the system's scheme it is.
  }
  var dark = chosen === "dark" || (chosen !== "light" && matchMedia("(prefers-color-scheme: dark)").matches);
  document.documentElement.setAttribute("data-mantine-color-scheme", dark ? "dark" : "light");
})();

// zod asks when its first schema is made whether it may compile functions, and that question alone is a violation of the policy.
globalThis.__zod_globalConfig = { jitless: true };

// A page of a session needs its token before anything else, so it is asked for while the app is still on its way; `src/http/early-refresh.ts`
// takes the answer, and `src/http/exclusive.ts` has the same lock, since a refresh token is good for one use.
(function () {
  if (/^\/(?:login|shared)(?:\/|$)/.test(location.pathname)) {
    return;
  }
  function ask() {
    return fetch("/api/identity/login/refresh", {
      method: "POST",
      headers: { accept: "application/json" },
      credentials: "same-origin",
      signal: AbortSignal.timeout(20000),
    });
  }
  var answer = navigator.locks === undefined ? ask() : navigator.locks.request("sightline-session", ask);
  // What fails is told by who takes it.
  answer.catch(function () {});
  globalThis.earlyRefresh = answer;
})();
