/** Files of a folder that stand for the folder. */
const STANDS_FOR_FOLDER = /(?:(?:\/src)?\/(?:index|main)|\/(?:__init__|mod|lib|main|init))$/u;
/** Folders that repositories keep packages in. */
const ROOT = /^(?:(?:.*\/)?(?:packages|libs?|modules|apps|crates|workspaces|src|source|python)|)$/u;

/** Where a module is: the parts of its path, from the repository's root where it is known. */
type Module = { readonly parts: readonly string[]; readonly isPlaced: boolean };

/** Says how well a file's path fits what another file imports: 1 for that very module, 0 for none. */
export function createFit(module: string, from: string, language: string): (path: string) => number {
  const { parts, isPlaced } = readModule(module, from, language);
  const whole = parts.join("/");
  const isStandard = language === "go" && parts.length > 0 && !/\./u.test(parts[0] ?? "");
  return (path) => {
    if (parts.length === 0 && !isPlaced) {
      return 0;
    }
    if (isStandard) {
      return 0;
    }
    const key = keyOf(path);
    const folder = path.slice(0, Math.max(path.lastIndexOf("/"), 0));
    if (isPlaced) {
      return key === whole ? 1 : folder === whole ? 0.95 : key.startsWith(`${whole}/`) || whole === "" ? 0.8 : 0;
    }
    const ends = [key, folder, key.replace(/\/src$/u, "")].map((one) => one.split("/"));
    const [end = [], known = 0] =
      ends.map((one) => [one, sharedEnd(one, parts)] as const).toSorted((one, other) => other[1] - one[1])[0] ?? [];
    if (known > 0 && known === parts.length) {
      // A short name is also that of what is no part of the repository.
      const root = end.slice(0, -1).join("/");
      const isBeside = from.startsWith(`${root}/`) && STANDS_FOR_FOLDER.test(path.replace(/\.\w+$/u, ""));
      return parts.length > 1 || ROOT.test(root) || isBeside ? 1 : 0;
    }
    // What is below the module's folder may be exported by it.
    const below = parts.findIndex((_, index) => `/${key}/`.includes(`/${parts.slice(index).join("/")}/`));
    const shared = Math.max(known, below === -1 ? 0 : (parts.length - below) * 0.9);
    return shared === 0 ? 0 : shared >= parts.length * 0.9 ? 0.85 : 0.3 + (0.4 * shared) / parts.length;
  };
}

/** The last part of a module's path, by which its file is called. */
export function lastOfModule(module: string, from: string, language: string): string | undefined {
  return readModule(module, from, language).parts.at(-1);
}

function keyOf(path: string): string {
  return path.replace(/(?<=[^/])(?:\.d)?\.\w+$/u, "").replace(STANDS_FOR_FOLDER, "");
}

function sharedEnd(path: readonly string[], parts: readonly string[]): number {
  let count = 0;
  while (count < parts.length && isAlike(path.at(-1 - count), parts.at(-1 - count))) {
    count++;
  }
  return count;
}

function isAlike(one = "", other = ""): boolean {
  return one.toLowerCase().replaceAll("-", "_") === other.toLowerCase().replaceAll("-", "_");
}

function readModule(module: string, from: string, language: string): Module {
  const folder = from.split("/").slice(0, -1);
  if (/^\.\.?(?:\/|$)/u.test(module)) {
    return { parts: walk(folder, keyOf(`/${module}`).slice(1).split("/")), isPlaced: true };
  }
  const [, dots = "", rest = ""] = /^(\.*)(.*)$/u.exec(module) ?? [];
  if (language === "python" && dots !== "") {
    return { parts: [...folder.slice(0, folder.length - dots.length + 1), ...rest.split(".").filter(Boolean)], isPlaced: true };
  }
  if (language === "rust" && /^(?:crate|self|super)\b/u.test(module)) {
    const own = from.replace(/(?:\/(?:mod|lib|main))?\.rs$/u, "").split("/");
    const root = own.lastIndexOf("src");
    const steps = module.split("::");
    const ups = steps.filter((step) => step === "super").length;
    const inner = steps.filter((step) => !/^(?:crate|self|super)$/u.test(step));
    return { parts: [...(steps[0] === "crate" ? own.slice(0, root + 1) : own.slice(0, own.length - ups)), ...inner], isPlaced: true };
  }
  const parts = module.includes("/") ? keyOf(module).split("/") : module.split(/\.|::|\\/u);
  return {
    parts: parts.filter((part) => part !== "" && !/^(?:@\w*|~|#|package:.*)$/u.test(part)).map((part) => part.replace(/^[@#~]/u, "")),
    isPlaced: false,
  };
}

function walk(folder: readonly string[], steps: readonly string[]): readonly string[] {
  return steps.reduce<readonly string[]>(
    (path, step) => (step === "." || step === "" ? path : step === ".." ? path.slice(0, -1) : [...path, step]),
    folder,
  );
}
