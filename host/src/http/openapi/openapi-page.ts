import { Attribute, DataType, Limits, LinkState, NodeType, RunningState } from '@tagway/schemas';
import type { OpenApi, OpenApiOperation } from './openapi.ts';
import { exampleOf, resolved, type Schema, type Schemas } from './openapi-example.ts';

/** Members within members that a table shows. */
const deepest = 6;

/** The document of the API as one page that needs nothing else. */
export function pageOf({ info, paths, tags, components }: OpenApi): string {
  const all = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
  );
  const { schemas = {} } = components as { readonly schemas?: Schemas };
  const parts = tags.map(({ name }) => {
    const listed = all.filter(({ operation }) => operation.tags.includes(name));
    const sections = listed.map((one) => section(one, schemas)).join('');
    return listed.length === 0 ? '' : `<h2>${escape(name)}</h2>${sections}`;
  });
  const title = `${info.title} ${info.version}`;
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>${escape(title)}</title><style>${style}</style></head><body>
<h1>${escape(title)}</h1>
<p>${escape(info.description)}</p>
<p>For programs: <a href="/api/v2/openapi.json">openapi.json</a>. <a href="docs/api.html">A walk through the API</a> and
<a href="docs/README.html">all pages of the documentation</a>.</p>
<h2>Numbers and their names</h2>
${enumerations.map(([name, values]) => `<p>${name}: ${numbersOf(values)}</p>`).join('\n')}
<p>The interval of a group is from ${Limits.intervalMin} to ${Limits.intervalMax} milliseconds.</p>
${parts.join('\n')}
</body></html>
`;
}

/** What stands as a number in bodies and replies. */
const enumerations: readonly (readonly [string, Readonly<Record<string, number>>])[] = [
  ['Types of tags', DataType],
  ['Attributes of tags, which add up', Attribute],
  ['Types of nodes', NodeType],
  ['What the operator wants of a node (<code>running</code>)', RunningState],
  ['State of a link (<code>link</code>)', LinkState],
];

function numbersOf(values: Readonly<Record<string, number>>): string {
  return Object.entries(values)
    .map(([name, value]) => `${value} ${name}`)
    .join(', ');
}

const style = `
body { font: 15px/1.5 system-ui, sans-serif; max-width: 60em; margin: 2em auto; padding: 0 1em; color: #222; background: #fff; }
h2 { border-bottom: 1px solid #ccc; margin-top: 2em; }
summary { cursor: pointer; padding: .2em 0; }
code, .method { font-family: ui-monospace, monospace; font-size: .93em; }
.method { display: inline-block; width: 5em; font-weight: bold; }
pre { white-space: pre-wrap; margin: .5em 0 1em; padding: .5em; border: 1px solid #ddd; }
table { border-collapse: collapse; margin: .5em 0 1em; }
td, th { border: 1px solid #ddd; padding: .2em .6em; text-align: left; vertical-align: top; }
@media (prefers-color-scheme: dark) {
  body { color: #ddd; background: #181818; } a { color: #8bf; } td, th, h2 { border-color: #444; }
}`;

interface Listed {
  readonly path: string;
  readonly method: string;
  readonly operation: OpenApiOperation;
}

function section({ path, method, operation }: Listed, schemas: Schemas): string {
  const { summary, 'x-role': role, parameters = [], requestBody, responses } = operation;
  const query = parameters.map(({ name, required, description = '', schema }) => [
    `<code>${escape(name)}</code>`,
    required ? 'required' : '',
    typeOf(schema, schemas),
    escape(description),
  ]);
  const codes = Object.entries(responses).map(([status, response]) => [
    status,
    Object.entries(response['x-codes'] ?? {})
      .map(([code, meaning]) => `${code}: ${escape(meaning)}`)
      .join('<br>'),
  ]);
  return `<details><summary><span class="method">${method.toUpperCase()}</span> <code>${escape(path)}</code> ${escape(summary)}</summary>
<p>${role === undefined ? 'Without a token.' : `Needs the role ${role}.`}</p>
${query.length === 0 ? '' : `<p>Query</p>${table(query)}`}
${contentOf('Body', requestBody, schemas)}
${contentOf('Reply', responses['200'], schemas)}
${table(codes, ['Status', 'Codes'])}</details>`;
}

/** Every form that a body or a reply may have, in full. */
function contentOf(what: string, holder: object | undefined, schemas: Schemas): string {
  const { content = {} } = (holder ?? {}) as { readonly content?: Record<string, { schema: Schema }> };
  return Object.entries(content)
    .flatMap(([type, { schema }]) => {
      if (type !== 'application/json') return [`<p>${what}: ${escape(type)}</p>`];
      const forms = schema.properties === undefined && schema.anyOf !== undefined ? schema.anyOf : [schema];
      return forms.map((form) => formOf(what, form, schemas));
    })
    .join('');
}

function formOf(what: string, form: Schema, schemas: Schemas): string {
  const { description = '' } = resolved(form, schemas);
  const rows = rowsOf(form, schemas);
  const example = JSON.stringify(exampleOf(form, schemas), undefined, 1).replaceAll(/\n\s*/g, ' ');
  return `<p>${what}${description === '' ? '' : `: ${escape(description)}`}</p>
${rows.length === 0 ? '' : table(rows)}<pre>${escape(example)}</pre>`;
}

/** One row for each member, those of members too, such as <code>query.currentPage</code> and <code>tags[].name</code>. */
function rowsOf(schema: Schema, schemas: Schemas, path = '', depth = 0): string[][] {
  const { properties = {}, required = [], items, anyOf = [] } = resolved(schema, schemas);
  if (depth > deepest) return [];
  if (items !== undefined) return rowsOf(items, schemas, `${path}[]`, depth + 1);
  const choices = anyOf.flatMap((choice) => choice.required ?? []);
  return Object.entries(properties).flatMap(([name, member]) => {
    const fullName = path === '' ? name : `${path}.${name}`;
    const others = choices
      .filter((choice) => choice !== name)
      .map((choice) => `<code>${escape(choice)}</code>`);
    const oneOf = choices.includes(name) ? `this or ${others.join(' or ')}` : '';
    const row = [
      `<code>${escape(fullName)}</code>`,
      required.includes(name) ? 'required' : oneOf,
      typeOf(member, schemas),
      escape(resolved(member, schemas).description ?? ''),
    ];
    return [row, ...rowsOf(member, schemas, fullName, depth + 1)];
  });
}

/** A schema in a few words; what is in an object or a list has rows of its own. */
function typeOf(given: Schema, schemas: Schemas): string {
  const schema = resolved(given, schemas);
  if (schema.const !== undefined) return escape(JSON.stringify(schema.const));
  if (schema.enum !== undefined) return schema.enum.map((value) => escape(JSON.stringify(value))).join(', ');
  if (schema.items !== undefined) return `list of ${typeOf(schema.items, schemas)}`;
  if (schema.type === undefined && schema.anyOf !== undefined)
    return schema.anyOf.map((one) => typeOf(one, schemas)).join(' or ');
  return escape([schema.type ?? 'any value'].flat().join(' or '));
}

/** Cells are HTML already. */
function table(rows: readonly (readonly string[])[], head: readonly string[] = []): string {
  const line = (cells: readonly string[], tag: string): string =>
    `<tr>${cells.map((cell) => `<${tag}>${cell}</${tag}>`).join('')}</tr>`;
  return `<table>${head.length === 0 ? '' : line(head, 'th')}${rows.map((row) => line(row, 'td')).join('')}</table>`;
}

function escape(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
}
