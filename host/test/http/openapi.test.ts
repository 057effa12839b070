import { expect } from 'chai';
import { ErrorCode, errorRow, dialects } from '@tagway/schemas';
import { checkOf } from '@tagway/schemas/validate';
import { exampleOf, type Schemas } from '../../src/http/openapi/openapi-example.ts';
import type { Route } from '../../src/http/route.ts';
import { startApi, type Fixture } from './fixture.ts';

interface Document {
  readonly openapi: string;
  readonly paths: Record<string, Record<string, Operation>>;
  readonly components: { readonly schemas: Record<string, object> };
}

interface Operation {
  readonly operationId: string;
  readonly summary: string;
  readonly security?: object[];
  readonly responses: Record<string, { readonly 'x-codes'?: Record<string, string> }>;
}

describe('the OpenAPI document', () => {
  let api: Fixture;
  let document: Document;
  before(async () => {
    api = await startApi();
    const answer = await api.call('GET /api/v2/openapi.json', undefined, { Authorization: '' });
    expect(answer.status).to.equal(200);
    document = answer.body as Document;
  });
  after(() => api.close());

  it('lists exactly what is served: the methods of each path are those the server allows', async () => {
    expect(document.openapi).to.equal('3.1.0');
    for (const [path, methods] of Object.entries(document.paths)) {
      const { status, headers } = await api.call(`OPTIONS ${path}`);
      expect(status, path).to.equal(200);
      const served = (headers.get('allow') ?? '')
        .split(', ')
        .filter((method) => !/OPTIONS|HEAD/.test(method));
      const listed = Object.keys(methods).map((method) => method.toUpperCase());
      expect(served, path).to.have.members(listed);
    }
  });

  it('says of each operation which statuses and codes it answers with, and of each code what it means', () => {
    for (const [path, methods] of Object.entries(document.paths)) {
      for (const { responses } of Object.values(methods)) {
        for (const codes of Object.values(responses).map((response) =>
          Object.keys(response['x-codes'] ?? {}),
        )) {
          expect(codes, path).not.to.be.empty;
          for (const code of codes) expect(errorRow(Number(code)), code).not.to.equal(undefined);
        }
      }
    }
  });

  it('says what a route says of itself', () => {
    const { route, operation } = api.routes
      .map((route) => ({ route, operation: document.paths[route.path]?.[route.method.toLowerCase()] }))
      .find(({ route }) => route.name === 'POST /api/v2/scan/tags') as { route: Route; operation: Operation };
    expect(operation).to.include({ summary: route.summary });
    const codes = Object.values(operation.responses).flatMap((response) =>
      Object.keys(response['x-codes'] ?? {}),
    );
    for (const name of route.errors ?? []) expect(codes, name).to.include(String(ErrorCode[name]));
    expect(codes).to.include(String(ErrorCode.NO_RESPONSE));
  });

  it('has statuses of its dialect', async () => {
    const family = await startApi({ dialect: dialects.family });
    const other = (await family.call('GET /api/v2/openapi.json')).body as Document;
    await family.close();
    const statuses = ({ paths }: Document): string[] =>
      Object.keys(paths['/api/v2/tags']?.['post']?.responses ?? {});
    expect(statuses(document)).to.include('206');
    expect(statuses(other)).not.to.include('206');
  });

  it('refers to definitions that are there, by names of operations that differ', () => {
    const names = Object.keys(document.components.schemas);
    const used = JSON.stringify(document).matchAll(/"\$ref":"#\/components\/schemas\/(\w+)"/g);
    for (const [, name] of used) expect(names).to.include(name);
    expect(JSON.stringify(document)).not.to.match(/\$defs|tsType/);
    const ids = Object.values(document.paths).flatMap((methods) =>
      Object.values(methods).map(({ operationId }) => operationId),
    );
    expect(new Set(ids).size).to.equal(ids.length);
  });

  it('asks for no token where none is needed', async () => {
    for (const [path, methods] of Object.entries(document.paths)) {
      for (const [method, { security }] of Object.entries(methods)) {
        const response = await fetch(`http://127.0.0.1:${api.port}${path}`, { method: method.toUpperCase() });
        await response.arrayBuffer();
        const isOpen = security?.length === 0;
        // A login without a body is refused for its body.
        expect(response.status === 401, `${method} ${path}`).to.equal(!isOpen);
      }
    }
  });

  it('has an example of every body, which fits its schema', () => {
    const schemas = document.components.schemas as Schemas;
    for (const { name, input } of api.routes) {
      if (input?.in !== 'body') continue;
      const example = exampleOf({ $ref: `#/${input.definition}` }, schemas);
      expect(checkOf(input.definition)(example), `${name} ${JSON.stringify(example)}`).to.equal(undefined);
      const [, method = '', path = ''] = /^(\S+) (\S+)$/.exec(name) ?? [];
      expect(document.paths[path]?.[method.toLowerCase()]).to.have.nested.property(
        'requestBody.content.application/json.example',
      );
    }
  });

  it('says of every operation that it may be answered 429, and when to ask again', () => {
    for (const [path, methods] of Object.entries(document.paths))
      for (const { responses } of Object.values(methods))
        expect(responses['429'], path).to.have.nested.property('headers.Retry-After.schema.type', 'integer');
  });

  it('has no body of anything, no choice among bare requirements, and no list of values without a type, for generators of clients', () => {
    const walk = (value: unknown, path: string): void => {
      if (typeof value !== 'object' || value === null || /\/(example|x-codes)$/.test(path)) return;
      const { schema, anyOf, type, enum: values } = value as Record<string, unknown>;
      if (schema !== undefined) expect(schema, path).not.to.deep.equal({});
      if (Array.isArray(anyOf))
        for (const one of anyOf as object[]) expect(Object.keys(one), path).not.to.deep.equal(['required']);
      if (Array.isArray(values)) expect(type, path).to.be.a('string');
      if (type === 'object' && !/additionalProperties$/.test(path))
        expect(value, path).to.satisfy((one: object) =>
          ['properties', 'additionalProperties', 'allOf', 'anyOf'].some((key) => key in one),
        );
      for (const [key, member] of Object.entries(value)) walk(member, `${path}/${key}`);
    };
    walk(document.paths, '');
    walk(document.components.schemas, '');
  });

  it('is a page for people too, which needs nothing else', async () => {
    const response = await fetch(`http://127.0.0.1:${api.port}/api`);
    const text = await response.text();
    expect(response.status).to.equal(200);
    expect(response.headers.get('content-type')).to.equal('text/html; charset=utf-8');
    for (const path of Object.keys(document.paths)) expect(text).to.include(`<code>${path}</code>`);
    for (const member of ['query.currentPage', 'query.pageSize', 'query.isError', 'tags[].name'])
      expect(text, member).to.include(`<code>${member}</code>`);
    expect(text).to.include('4 UINT16').and.to.include('14 BYTES').and.to.include('from 100 to');
    expect(text).not.to.match(/<script|<link|src=|href="https?:|url\(/);
  });
});
