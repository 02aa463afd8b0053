import openapiTS, { astToString, type OpenAPI3 } from 'openapi-typescript';

const HEAD = '// Generated from openapi.json by `npm run web:types`. Not to be edited.\n\n';

/** Converts an OpenAPI description to TypeScript. Error responses are left out: the client handles them all alike. */
export async function describeTypes(description: OpenAPI3): Promise<string> {
  const paths = Object.entries(description.paths ?? {}).map(([path, methods]) => [path, withoutErrors(methods)]);
  return HEAD + astToString(await openapiTS({ ...description, paths: Object.fromEntries(paths) }));
}

function withoutErrors(methods: object): object {
  const entries = Object.entries(methods).map(([method, operation]) => {
    const all = Object.entries((operation as { responses?: object }).responses ?? {});
    const responses = Object.fromEntries(all.filter(([status]) => status === '200'));
    return [method, { ...operation, responses }];
  });
  return Object.fromEntries(entries);
}
