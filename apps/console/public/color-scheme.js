// Sets the colour scheme before the first paint. It is a file, not inline, because the content security policy allows no inline scripts.
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
