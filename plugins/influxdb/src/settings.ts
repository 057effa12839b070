import { ErrorCode, Fault } from '@tagway/sdk';
import { cacheProblem, type StoreSettings, type TlsFiles, tlsFilesProblem } from '@tagway/store';
import { headerValueProblem, proxyProblem, urlProblem } from '@tagway/store/http';
import { PlaceTemplate } from '@tagway/store/template';
import type { StoreKind } from './stores.ts';

/** Unit of the times. */
export const Precision = { NANO: 0, MICRO: 1, MILLI: 2, SECOND: 3 } as const;

/** A node's settings, with the schema's defaults filled in. */
export interface Settings extends StoreSettings, TlsFiles {
  readonly url: string;
  readonly store: StoreKind;
  readonly measurement: string;
  readonly 'tag-set': string;
  readonly field: string;
  readonly precision: (typeof Precision)[keyof typeof Precision];
  readonly upload_err: boolean;
  readonly upload_meta: boolean;
  readonly gzip: boolean;
  readonly proxy?: string;
  readonly 'any-certificate': boolean;
  readonly database?: string;
  readonly retention?: string;
  readonly org?: string;
  readonly bucket?: string;
  readonly token?: string;
  readonly username?: string;
  readonly password?: string;
}

/** The names and the templates of the tags of a line. */
export function tagSetOf(text: string): readonly (readonly [name: string, template: string])[] {
  if (text.trim() === '') return [];
  return text.split(',').map((part) => {
    const at = part.indexOf('=');
    return [part.slice(0, Math.max(at, 0)).trim(), part.slice(at + 1).trim()];
  });
}

function linesProblem({ measurement, field, 'tag-set': tags }: Settings): string | undefined {
  const set = tagSetOf(tags);
  const templates = [
    ['measurement', measurement],
    ['field', field],
    ...set.map(([, one]) => ['tag-set', one] as const),
  ] as const;
  for (const [name, text] of templates) {
    const problem = PlaceTemplate.problem(text);
    if (problem !== undefined) return `"${name}" is not a template: ${problem}`;
  }
  const empty = set.find(([name, template]) => name === '' || template === '');
  if (empty !== undefined)
    return '"tag-set" has to be of the form name=template, with commas between several, such as node={driver},unit={description}.';
  const twice = set.find(([name], index) => set.findIndex(([other]) => other === name) !== index);
  if (twice !== undefined) return `"tag-set" has "${twice[0]}" twice.`;
  if (!templates.some(([, text]) => /\{(tag|address)\}/.test(text)))
    return 'All tags of a group would be written into one field: put {tag} into "field", "measurement" or "tag-set".';
  return undefined;
}

/** What the schema cannot say about settings. */
export function checkSettings(settings: Settings): Fault | undefined {
  const problem =
    urlProblem('url', settings.url) ??
    (settings.proxy ? proxyProblem(settings.proxy) : undefined) ??
    headerValueProblem('token', settings.token ?? '') ??
    linesProblem(settings) ??
    tlsFilesProblem(settings) ??
    cacheProblem(settings);
  return problem === undefined
    ? undefined
    : new Fault(ErrorCode.NODE_SETTING_INVALID, problem, { retry: false });
}
