/** A component of a list of components (SBOM), as far as it is looked at here. */
type Component = { readonly "bom-ref": string; readonly name: string; readonly [field: string]: unknown };

export type ComponentList = {
  readonly metadata: { readonly component: Component; readonly [field: string]: unknown };
  readonly components: readonly Component[];
  readonly dependencies: readonly { readonly ref: string; readonly dependsOn: readonly string[] }[];
  readonly [field: string]: unknown;
};

/** The part of a CycloneDX list that is about one package of a workspace: itself, and what is installed with it. */
export function listOf(whole: ComponentList, name: string, version: string): ComponentList {
  const root = `${name}@${version}`;
  const needs = new Map(whole.dependencies.map(({ ref, dependsOn }) => [ref, dependsOn]));
  const reached = new Set([root]);
  for (const ref of reached) {
    (needs.get(ref) ?? []).forEach((needed) => reached.add(needed));
  }
  const purl = `pkg:npm/${name.replace("@", "%40")}@${version}`;
  return {
    ...whole,
    metadata: { ...whole.metadata, component: { "bom-ref": root, type: "library", name, version, purl } },
    components: whole.components.filter((component) => reached.has(component["bom-ref"]) && component["bom-ref"] !== root),
    dependencies: whole.dependencies.filter(({ ref }) => reached.has(ref)),
  };
}

/** The list of a package of Python, whose dependencies are ranges: their versions are chosen where it is installed. */
export function listOfPython(whole: ComponentList, name: string, version: string, requires: readonly string[]): ComponentList {
  const root = `${name}@${version}`;
  const components = requires.map((requirement) => {
    const [, needed = requirement, range = ""] = /^([\w.-]+)\s*(.*)$/.exec(requirement) ?? [];
    const properties = [{ name: "sightline:versions", value: range }];
    return { "bom-ref": needed, type: "library", name: needed, purl: `pkg:pypi/${needed}`, properties };
  });
  const purl = `pkg:pypi/${name}@${version}`;
  const { tools: _npm, ...metadata } = whole.metadata;
  return {
    ...whole,
    metadata: { ...metadata, component: { "bom-ref": root, type: "library", name, version, purl } },
    components,
    dependencies: [
      { ref: root, dependsOn: components.map((component) => component["bom-ref"]) },
      ...components.map((component) => ({ ref: component["bom-ref"], dependsOn: [] })),
    ],
  };
}
