import type { OtlpSpan } from "./otlp-span.ts";

/** CrewAI's method that runs a task, and the id of a crew or flow without a name, which would make each run a trace of another name. */
const NOISE = [/(?<=.)\._execute_core$/, /(?<=^(?:Crew|Flow))_[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}(?=\.)/];

/** The name a person gave: Traceloop writes the kind behind it, the Agent Framework keeps that of a workflow apart. */
export function nameOf({ name, attributes }: Pick<OtlpSpan, "name" | "attributes">): string {
  const [entity, kind] = [attributes.get("traceloop.entity.name"), attributes.get("traceloop.span.kind")];
  if (typeof entity === "string" && typeof kind === "string" && entity !== "" && name === `${entity}.${kind}`) {
    return entity;
  }
  const workflow = attributes.get("workflow.name");
  if (name === "workflow.run" && typeof workflow === "string" && workflow !== "") {
    return workflow;
  }
  return NOISE.reduce((rest, noise) => rest.replace(noise, ""), name);
}
