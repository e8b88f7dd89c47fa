/**
 * `node build.ts [FOLDER]` builds what is published into a folder, by default `dist`: ESM and CommonJS by two runs of tsc, and a package.json of its own.
 *
 * The package.json beside this folder exports the TypeScript sources, so that the workspace runs them without a build; npm publishes
 * the package.json it finds, whatever `publishConfig` says. So `dist` is the package: `npm pack ./dist`, `npm publish ./dist`.
 */
import { execFileSync } from "node:child_process";
import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

type Manifest = Readonly<Record<string, unknown>>;

const packageFolder = join(import.meta.dirname, "..");
const dist = process.argv[2] ?? join(packageFolder, "dist");

rmSync(dist, { recursive: true, force: true });
for (const format of ["esm", "cjs"]) {
  const project = join(packageFolder, `tsconfig.${format}.json`);
  execFileSync("tsc", ["-p", project, "--outDir", join(dist, format)], { stdio: "inherit" });
}
// The nearest package.json decides how Node reads a .js file.
mkdirSync(join(dist, "cjs"), { recursive: true });
writeJson(join(dist, "cjs", "package.json"), { type: "commonjs" });
writeJson(join(dist, "package.json"), publishedManifest(JSON.parse(readFileSync(join(packageFolder, "package.json"), "utf8")) as Manifest));
for (const name of ["README.md", "CHANGELOG.md", "LICENSE"]) {
  copyFileSync(join(packageFolder, name), join(dist, name));
}

function publishedManifest(source: Manifest): Manifest {
  const { private: _private, scripts: _scripts, devDependencies: _devDependencies, exports: _exports, imports: _imports, ...kept } = source;
  return {
    ...kept,
    main: "./cjs/index.js",
    types: "./cjs/index.d.ts",
    exports: publishedEntries(source["exports"] as Readonly<Record<string, string>>),
    files: ["esm", "cjs"],
    sideEffects: ["./esm/register.js", "./cjs/register.js"],
  };
}

/** `./src/name.ts` of the workspace becomes the two built files of that name. */
function publishedEntries(sources: Readonly<Record<string, string>>): Manifest {
  const entries = Object.entries(sources).map(([door, file]) => [door, entry(file.replace(/^\.\/src\/(.*)\.ts$/, "$1"))] as const);
  return { ...Object.fromEntries(entries), "./package.json": "./package.json" };
}

function entry(name: string): Manifest {
  return {
    import: { types: `./esm/${name}.d.ts`, default: `./esm/${name}.js` },
    require: { types: `./cjs/${name}.d.ts`, default: `./cjs/${name}.js` },
  };
}

function writeJson(path: string, value: Manifest): void {
  writeFileSync(path, `${JSON.stringify(value, undefined, 2)}\n`);
}
