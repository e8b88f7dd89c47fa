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
