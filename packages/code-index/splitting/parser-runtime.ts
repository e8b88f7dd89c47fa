import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { setFlagsFromString } from "node:v8";
import { Parser } from "web-tree-sitter";

const RUNTIME = fileURLToPath(import.meta.resolve("web-tree-sitter/web-tree-sitter.wasm"));

/** For what is compiled from now on, in all threads. */
const NEVER_OPTIMISE = ["--no-wasm-dynamic-tiering", "--no-wasm-tier-up"];

/** One for the process, whoever asks: V8's flags are the process's own, and what is compiled after they are changed is never optimised. */
let compiled: WebAssembly.Module | undefined;

/**
 * tree-sitter's own code, which V8 optimises as it gets hot, and sees to it that no grammar is: Swift's lexer is one function of
 * 338 kB, to optimise it takes 3.4 GB and seven seconds of a core, and files of any language are parsed about as fast without. To be
 * called in the main thread and handed to the others, as V8's flags are those of the process.
 */
export function compileRuntime(): WebAssembly.Module {
  if (compiled === undefined) {
    // At once and not function by function: whatever is compiled after the flags are changed counts as a grammar.
    setFlagsFromString("--no-wasm-lazy-compilation");
    compiled = new WebAssembly.Module(readFileSync(RUNTIME));
    setFlagsFromString("--wasm-lazy-compilation");
    for (const flag of NEVER_OPTIMISE) {
      setFlagsFromString(flag);
    }
  }
  return compiled;
}

/** Makes the parser ready in this thread. */
export async function startRuntime(runtime: WebAssembly.Module): Promise<void> {
  await Parser.init({
    instantiateWasm: (imports: WebAssembly.Imports, done: (instance: WebAssembly.Instance, runtime: WebAssembly.Module) => void) => {
      done(new WebAssembly.Instance(runtime, imports), runtime);
      return {};
    },
  });
}
