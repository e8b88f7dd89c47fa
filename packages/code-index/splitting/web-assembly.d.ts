/** What Node has and its types lack: as much of it as is used here. */
declare namespace WebAssembly {
  type Imports = Record<string, Record<string, unknown>>;
  type Module = object;
  type Instance = object;
  const Module: new (bytes: Uint8Array) => Module;
  const Instance: new (module: Module, imports: Imports) => Instance;
}
