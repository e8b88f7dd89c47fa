/** The address of the API behind this console, the key's placeholder, and a program that runs an experiment over a dataset. */
export function runSnippet(origin: string, projectId: string, dataset: string): { readonly environment: string; readonly python: string } {
  return {
    environment: `OBS_API_URL=${origin}/api/observability
OBS_PROJECT_ID=${projectId}
OBS_API_KEY=studio_…  # a key that may evaluate, made in the project's settings`,
    python: `import sightline
from my_agent import agent  # any function from an input to an output

sightline.initialize_redis_publisher().wait()  # sends the traces of runs, by the variables of the first trace

def exact_match(output, expected):
    return output == expected

result = sightline.evaluate(agent, dataset=${JSON.stringify(dataset)}, evaluators=[exact_match], baseline="main")
print(result)  # each score beside the baseline, and a link to this console`,
  };
}
