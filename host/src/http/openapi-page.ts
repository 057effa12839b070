import type { OpenApi, OpenApiOperation } from './openapi.ts';

/** A schema as the page shows it. */
interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly enum?: readonly unknown[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
}

/** The document of the API as one page that needs nothing else. */
export function pageOf({ info, paths, tags, components }: OpenApi): string {
  const all = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
  );
  const parts = tags.map(({ name }) => {
    const listed = all.filter(({ operation }) => operation.tags.includes(name));
    return listed.length === 0 ? '' : `<h2>${escape(name)}</h2>${listed.map(section).join('')}`;
  });
  const { schemas = {} } = components as { readonly schemas?: Readonly<Record<string, Schema>> };
  const title = `${info.title} ${info.version}`;
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>${escape(title)}</title><style>${style}</style></head><body>
<h1>${escape(title)}</h1>
<p>${escape(info.description)}</p>
<p>For programs: <a href="/api/v2/openapi.json">openapi.json</a>.</p>
${parts.join('\n')}
<h2>Definitions</h2>
${Object.entries(schemas)
  .map(([name, schema]) => `<h3 id="${escape(name)}">${escape(name)}</h3>${definition(schema)}`)
  .join('\n')}
</body></html>
`;
}

const style = `
body { font: 15px/1.5 system-ui, sans-serif; max-width: 60em; margin: 2em auto; padding: 0 1em; color: #222; background: #fff; }
h2 { border-bottom: 1px solid #ccc; margin-top: 2em; }
summary { cursor: pointer; padding: .2em 0; }
code, .method { font-family: ui-monospace, monospace; font-size: .93em; }
.method { display: inline-block; width: 5em; font-weight: bold; }
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

function section({ path, method, operation }: Listed): string {
  const { summary, security, parameters = [], requestBody, responses } = operation;
  const query = parameters.map(({ name, required, description = '', schema }) => [
    `<code>${escape(name)}</code>${required ? '' : ' (optional)'}`,
    typeOf(schema),
    escape(description),
  ]);
  const body = contentOf(requestBody);
  const replies = Object.entries(responses).map(([status, response]) => [
    status,
    Object.entries(response['x-codes'] ?? {})
      .map(([code, meaning]) => `${code}: ${escape(meaning)}`)
      .join('<br>'),
    contentOf(response),
  ]);
  return `<details><summary><span class="method">${method.toUpperCase()}</span> <code>${escape(path)}</code> ${escape(summary)}</summary>
${security === undefined ? '' : '<p>Without a token.</p>'}
${query.length === 0 ? '' : `<p>Query</p>${table(query)}`}
${body === '' ? '' : `<p>Body: ${body}</p>`}
${table(replies, ['Status', 'Codes', 'Reply'])}</details>`;
}

function contentOf(holder: object | undefined): string {
  const { content = {} } = (holder ?? {}) as { readonly content?: Record<string, { schema: Schema }> };
  return Object.entries(content)
    .map(([type, { schema }]) => (type === 'application/json' ? typeOf(schema) : escape(type)))
    .join(' or ');
}

function definition(schema: Schema): string {
  const rows = Object.entries(schema.properties ?? {}).map(([name, member]) => [
    `<code>${escape(name)}</code>${schema.required?.includes(name) === true ? '' : ' (optional)'}`,
    typeOf(member),
    escape(member.description ?? ''),
  ]);
  const about = schema.description === undefined ? '' : `<p>${escape(schema.description)}</p>`;
  return about + (rows.length === 0 ? `<p>${typeOf(schema)}</p>` : table(rows));
}

/** A schema in a few words, with links to the definitions it names. */
function typeOf(schema: Schema): string {
  if (schema.$ref !== undefined) {
    const name = escape(schema.$ref.split('/').at(-1) ?? '');
    return `<a href="#${name}">${name}</a>`;
  }
  const [first] = schema.allOf ?? [];
  if (first !== undefined) return typeOf(first);
  if (schema.anyOf?.some(({ $ref, allOf }) => $ref ?? allOf) === true)
    return schema.anyOf.map(typeOf).join(' or ');
  if (schema.enum !== undefined) return schema.enum.map((value) => escape(JSON.stringify(value))).join(', ');
  if (schema.items !== undefined) return `list of ${typeOf(schema.items)}`;
  return escape([schema.type ?? 'any'].flat().join(' or '));
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
