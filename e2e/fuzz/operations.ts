import type { Client, Method } from '../kit/client.ts';
import type { Definitions, Schema } from './generate.ts';

/** An operation of the document of the API, as far as requests can be made from it. */
export interface Operation {
  readonly method: Method;
  /** Below /api/v2. */
  readonly path: string;
  readonly body: Schema | undefined;
  readonly query: Readonly<Record<string, Schema>> | undefined;
}

interface Document {
  readonly paths: Record<
    string,
    Record<
      string,
      {
        readonly parameters?: readonly { readonly name: string; readonly schema: Schema }[];
        readonly requestBody?: { readonly content: Record<string, { readonly schema: Schema }> };
      }
    >
  >;
  readonly components: { readonly schemas: Definitions };
}

/** The operations below /api/v2, and the definitions that their schemas refer to. */
export async function operationsOf(
  client: Client,
): Promise<{ operations: Operation[]; definitions: Definitions }> {
  const { paths, components } = await client.ok<Document>('GET', '/openapi.json');
  const operations = Object.entries(paths)
    .filter(([path]) => path.startsWith('/api/v2/'))
    .flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, { parameters, requestBody }]) => ({
        method: method.toUpperCase() as Method,
        path: path.slice('/api/v2'.length),
        body: requestBody?.content['application/json']?.schema,
        query: parameters && Object.fromEntries(parameters.map(({ name, schema }) => [name, schema])),
      })),
    );
  return { operations, definitions: components.schemas };
}
