import openapiTS, { astToString, type OpenAPI3 } from 'openapi-typescript';

const HEAD = '// Generated from openapi.json by `npm run web:types`. Not to be edited.\n\n';

/** The TypeScript of an OpenAPI description. Refusals are left out: the client reads all of them alike. */
export async function describeTypes(description: OpenAPI3): Promise<string> {
  const paths = Object.entries(description.paths ?? {}).map(([path, methods]) => [path, withoutRefusals(methods)]);
  return HEAD + astToString(await openapiTS({ ...description, paths: Object.fromEntries(paths) }));
}

function withoutRefusals(methods: object): object {
  const kept = Object.entries(methods).map(([method, operation]) => {
    const answers = Object.entries((operation as { responses?: object }).responses ?? {});
    const responses = Object.fromEntries(answers.filter(([status]) => status === '200'));
    return [method, { ...operation, responses }];
  });
  return Object.fromEntries(kept);
}
